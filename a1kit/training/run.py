"""The run: steps until the last, with evaluations, checkpoints, and somebody's hand on the brake.

    for step in order: play a step, write it down, now and then evaluate and save

What makes a run continue exactly: everything random in step s comes from (seed, s); questions come in an order that is
a function of (seed, s); models, optimizers and their random states are in the checkpoint; and whatever was written
after the checkpoint is rolled back when the run is opened again. So a run of 2 steps, killed at any moment and resumed
for 2 more, ends with the same bits as a run of 4.

Stopping: `control/stop`, SIGTERM or the first Ctrl-C finish the step and save; the second Ctrl-C stops at once, with
the last checkpoint to go on from.
"""

from __future__ import annotations

import gc
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a1kit.config import RunConfig
from a1kit.errors import A1KitError, ConfigError
from a1kit.store.run_log import RunLog, checkpoint_path, checkpoint_steps, read_checkpoint, read_metrics
from a1kit.training.evaluate import HeldOut, drop_evaluations
from a1kit.training.events import Ended, Evaluated, Event, Listener, Note, Paused, PhaseBegan, Saved, Started, StepDone
from a1kit.training.metrics import step_metrics
from a1kit.training.step import Table, play, seed_for
from a1kit.types import Question

POLL_SECONDS = 0.2
"""How often a paused run looks whether it may go on."""


@contextmanager
def collector_spared() -> Iterator[None]:
    """Python's collector of cycles leaves alone what is there already (libraries, models: millions of objects that stay
    for the whole run), and looks for new garbage every 20,000 allocations instead of every 700. A step makes some
    hundred thousand objects, nearly none of which is garbage that only the collector finds."""
    usual = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


@dataclass(frozen=True, slots=True)
class Runner:
    """All a run is made of, ready to go: `a1kit.training.setup` builds it from a config."""

    config: RunConfig
    table: Table
    questions: tuple[Question, ...]
    log: RunLog
    held_out: HeldOut | None
    listen: Listener
    after: int = 0
    """The step the models and the book stand at (see `restore`)."""

    def run(self) -> int:
        """Train from there to the last step, or until somebody stops it; the step reached."""
        stop = StopSwitch(self.log, self.listen, self.config.train.steps)
        step = self.after
        with stop.armed(), self._told_apart(), collector_spared():
            self._begin(step)
            while step < self.config.train.steps and not stop.asked(step):
                step += 1
                self._step(step, stop)
            self._save_unless_saved(step)
            state = "finished" if step >= self.config.train.steps else "stopped"
            self._status(state, step)
            self.listen(Ended(step, state))
        return step

    # -- one step ------------------------------------------------------------------------------------------------

    def _step(self, step: int, stop: StopSwitch) -> None:
        config = self.config
        started = time.perf_counter()
        batch = questions_of(self.questions, config.game.questions, step, config.seed)
        played = play(self.table, batch, step=step, seed=config.seed, phase=lambda name: self._phase(step, name))
        metrics = step_metrics(played)
        due = config.eval.every and step % config.eval.every == 0
        if self.held_out is not None and (due or step == config.train.steps):
            metrics.update(self._evaluate(step))
        self.log.write_step(played.record(metrics), played.changes.events)
        left = (time.perf_counter() - started) * (config.train.steps - step)
        self._status("running", step, seconds_left=left)
        self.listen(StepDone(played, metrics, config.train.steps, left))
        if step % config.train.checkpoint_every == 0 or stop.save_asked():
            self._save(step)

    def _evaluate(self, step: int) -> Mapping[str, float]:
        assert self.held_out is not None
        self._phase(step, "evaluate")
        started = time.perf_counter()
        metrics = self.held_out.measure(self.table, step, self.log.folder)
        self.listen(Evaluated(step, metrics))
        return {**metrics, "eval/seconds": time.perf_counter() - started}

    def _phase(self, step: int, name: str) -> None:
        self.log.write_phase(step, name)
        self.listen(PhaseBegan(step, name))

    # -- beginning and saving ------------------------------------------------------------------------------------

    def _begin(self, step: int) -> None:
        self._status("running", step)
        self.listen(Started(self.log.folder, step, self.config.train.steps))
        measured = any(row["step"] == 0 for row in read_metrics(self.log.folder))
        if step == 0 and self.held_out is not None and not measured:
            self.log.write_metrics(0, self._evaluate(0))

    def _save_unless_saved(self, step: int) -> None:
        if step > 0 and step not in checkpoint_steps(self.log.folder):
            self._save(step)

    def _save(self, step: int) -> None:
        self._phase(step, "save")

        def fill(folder: Path) -> None:
            self.table.code.policy.save(folder / "code")
            if self.table.tests is not None and not self.table.tests.frozen:
                self.table.tests.policy.save(folder / "tests")

        state = {"seed": self.config.seed}
        path = self.log.save_checkpoint(step, fill, state, keep=self.config.train.keep_checkpoints)
        self.listen(Saved(step, path))

    def _status(self, state: str, step: int, **more: Any) -> None:
        self.log.write_status(state=state, step=step, steps=self.config.train.steps, **more)

    @contextmanager
    def _told_apart(self) -> Iterator[None]:
        """Leave word in the run folder of how it ended when it did not end well."""
        try:
            yield
        except KeyboardInterrupt:
            self._status("stopped", max(checkpoint_steps(self.log.folder), default=0), message="stopped at once")
            raise
        except A1KitError as error:
            self._status("failed", max(checkpoint_steps(self.log.folder), default=0), message=str(error))
            raise


def restore(log: RunLog, table: Table) -> int:
    """Load the newest checkpoint into the policies and remove what was written after it; its step, 0 without one."""
    step = max(checkpoint_steps(log.folder), default=0)
    if step:
        read_checkpoint(log.folder, step)
        path = checkpoint_path(log.folder, step)
        table.code.policy.load(path / "code")
        if table.tests is not None and (path / "tests").is_dir():
            table.tests.policy.load(path / "tests")
    log.rewind(step)
    drop_evaluations(log.folder, step)
    return step


def questions_of(questions: Sequence[Question], count: int, step: int, seed: int) -> list[Question]:
    """The questions of a step. An epoch is a shuffle of all questions, cut into batches of `count`; what is left over
    at its end waits for another epoch (Paper §4.1: 9,688 questions, 256 a step, 37 steps an epoch)."""
    steps = len(questions) // count
    if steps == 0:
        raise ConfigError(
            f"game.questions is {count}, but the problem set has {len(questions)} training questions; "
            "ask for at most those."
        )
    epoch, place = divmod(step - 1, steps)
    order = list(range(len(questions)))
    random.Random(seed_for(seed, epoch, "order")).shuffle(order)
    return [questions[index] for index in order[place * count : (place + 1) * count]]


class StopSwitch:
    """Who may stop, pause or save a run between two steps: signals and the files of `control/`."""

    def __init__(self, log: RunLog, listen: Callable[[Event], None], steps: int) -> None:
        self._log = log
        self._listen = listen
        self._steps = steps
        self._signalled = False

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Take over Ctrl-C and SIGTERM while a run goes on (in the main thread; elsewhere Python does not allow it)."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for number in before:
                signal.signal(number, self._on_signal)
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: object) -> None:
        if self._signalled:
            raise KeyboardInterrupt
        self._signalled = True
        self._listen(Note("finishing this step and saving; press Ctrl-C again to stop at once"))

    def save_asked(self) -> bool:
        """Whether `control/save` asked for a checkpoint; asking once gives one."""
        asked = self._log.requested("save")
        self._log.answered("save")
        return asked

    def asked(self, step: int) -> bool:
        """Whether to stop now. A paused run waits here, and can still be stopped or asked to save."""
        waiting = False
        while not self._stopping() and self._log.requested("pause"):
            if not waiting:
                waiting = True
                self._log.write_status(state="paused", step=step, steps=self._steps)
                self._listen(Paused(step, True))
            time.sleep(POLL_SECONDS)
        if waiting:
            self._listen(Paused(step, False))
        return self._stopping()

    def _stopping(self) -> bool:
        if self._log.requested("stop"):
            self._log.answered("stop")
            self._signalled = True
        return self._signalled
