"""What a person sees of a run: a live view on a terminal, a line a step elsewhere, JSON lines for programs.

Each is a listener of the run (`a1kit.training.events`). Everything model-written is shown with its control characters
spelt out, so that no completion can move the cursor or colour the screen.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from a1kit.config import RunConfig
from a1kit.training.events import Ended, Evaluated, Event, Listener, Note, Paused, PhaseBegan, Saved, Started, StepDone
from a1kit.training.plan import Plan
from a1kit.training.step import Played
from a1kit.training.summary import Summary, summarise
from a1kit.types import Duel, JudgedTest, Load

WIDTH = 100
"""Columns of tables when nobody's terminal says how many there are."""

PHASES = {
    "write": "writing candidates",
    "attack": "writing tests",
    "recall": "recalling mistakes",
    "judge": "judging",
    "score": "scoring",
    "remember": "remembering",
    "learn_code": "updating the Code LLM",
    "learn_tests": "updating the Test LLM",
    "evaluate": "evaluating on held-out questions",
    "save": "saving",
}


@contextmanager
def follow(config: RunConfig, folder: Path, as_json: bool) -> Iterator[Listener]:
    """The listener that fits where the output goes, with the run's tracker; prints the summary when the run ends
    well."""
    with ExitStack() as stack:
        listeners: list[Listener] = []
        if as_json:
            listeners.append(print_json)
        elif sys.stdout.isatty():
            listeners.append(stack.enter_context(LiveView(config, folder)))
        else:
            listeners.append(print_lines)
        if config.report_to:
            from a1kit.training.trackers import Tracker

            tracker = Tracker(config.report_to, folder, config.to_dict())
            stack.callback(tracker.close)
            listeners.append(tracker)

        def listen(event: Event) -> None:
            for listener in listeners:
                listener(event)

        yield listen
    summary = summarise(folder)
    if as_json:
        print(json.dumps({"event": "summary", **summary.to_dict()}), flush=True)
    else:
        print_summary(summary)


# -- for programs, and for logs ----------------------------------------------------------------------------------------


def print_json(event: Event) -> None:
    """One JSON object an event, a line each. Phases are left out: they are many and say little."""
    if not isinstance(event, PhaseBegan):
        print(json.dumps(event_dict(event)), flush=True)


def event_dict(event: Event) -> dict[str, Any]:
    """An event as plain values."""
    match event:
        case Started(folder, step, steps):
            return {"event": "started", "run": str(folder), "step": step, "steps": steps}
        case PhaseBegan(step, name):
            return {"event": "phase", "step": step, "phase": name}
        case StepDone(played, metrics, steps, seconds_left):
            left = round(seconds_left, 1)
            numbers = {name: round(value, 6) for name, value in metrics.items()}
            return {"event": "step", "step": played.step, "steps": steps, "seconds_left": left, "metrics": numbers}
        case Evaluated(step, metrics):
            return {"event": "evaluated", "step": step, "metrics": dict(metrics)}
        case Saved(step, path):
            return {"event": "saved", "step": step, "checkpoint": str(path)}
        case Paused(step, paused):
            return {"event": "paused" if paused else "continued", "step": step}
        case Note(text):
            return {"event": "note", "text": text}
        case Ended(step, state):
            return {"event": "ended", "step": step, "state": state}


def print_lines(event: Event) -> None:
    """One plain line for what matters."""
    line = plain_line(event)
    if line is not None:
        print(line, flush=True)


def plain_line(event: Event) -> str | None:
    """An event in one line; None for what a log need not hold."""
    match event:
        case Started(folder, step, steps):
            return f"training {folder}: step {step} of {steps}"
        case StepDone(played, metrics, steps, seconds_left):
            width = len(str(steps))
            parts = [f"step {played.step:{width}d}/{steps}"]
            parts += [f"{label} {metrics[name]:.3f}" for label, name in _LINE if name in metrics]
            parts.append(f"book +{metrics['book/added']:.0f} -{metrics['book/removed']:.0f}")
            parts.append(f"{metrics['seconds']:.1f} s, {duration(seconds_left)} left")
            return "  ".join(parts)
        case Evaluated(step, metrics):
            return f"held out after step {step}: {_evaluation(metrics)}"
        case Paused(step, paused):
            return f"paused after step {step}; remove control/pause to go on" if paused else "going on"
        case Note(text):
            return text
        case Ended(step, state):
            return f"{state} after step {step}"
        case _:
            return None


_LINE = (
    ("code", "code/reward"),
    ("tests", "tests/reward"),
    ("valid", "tests/validity"),
    ("kill", "tests/kill_rate"),
    ("new", "code/pass_new"),
    ("old", "code/pass_hist"),
)


def _evaluation(metrics: Mapping[str, float]) -> str:
    words = {"eval/avg": "avg@n", "eval/greedy": "greedy", "eval/validity": "validity", "eval/kill_rate": "kill rate"}
    return ", ".join(f"{word} {metrics[name]:.3f}" for name, word in words.items() if name in metrics)


# -- for people --------------------------------------------------------------------------------------------------------


class LiveView:
    """The run on a terminal, redrawn as it goes; gone when the run ends, so that the summary stands alone."""

    def __init__(self, config: RunConfig, folder: Path, console: Console | None = None) -> None:
        self.config, self.folder = config, folder
        self.console = console or Console()
        self._step, self._phase, self._left = 0, "loading the models", 0.0
        self._rows: list[Mapping[str, float]] = []
        self._evaluated: Mapping[str, float] = {}
        self._duel: Duel | None = None
        self._notes: list[str] = []
        self._live = Live(console=self.console, refresh_per_second=4, transient=True, get_renderable=self.render)

    def __enter__(self) -> LiveView:
        self._live.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._live.__exit__(*exception)

    def __call__(self, event: Event) -> None:
        match event:
            case Started(_, step, _):
                self._step = step
            case PhaseBegan(_, name):
                self._phase = PHASES.get(name, name)
            case StepDone(played, metrics, _, left):
                self._step, self._left = played.step, left
                self._rows = [*self._rows[-199:], metrics]
                self._duel = interesting(played)
            case Evaluated(_, metrics):
                self._evaluated = metrics
            case Paused(_, paused):
                self._phase = "paused: remove control/pause to go on" if paused else "going on"
            case Note(text):
                self._notes = [*self._notes[-2:], text]
            case _:
                pass
        self._live.refresh()

    def render(self) -> RenderableType:
        """The whole picture."""
        steps = self.config.train.steps
        head = Table.grid(padding=(0, 2))
        left = f"{duration(self._left)} left" if self._rows and self._step < steps else ""
        head.add_row(
            Text(f"{self.folder}", style="bold"),
            Text(f"step {self._step} of {steps}"),
            ProgressBar(total=steps, completed=self._step, width=24),
            Text(left),
            Text(self._phase, style="dim"),
        )
        parts: list[RenderableType] = [head]
        if self._rows:
            parts += [Padding(numbers(self._rows), (1, 0, 0, 0))]
        if self._evaluated:
            parts.append(Text(f"held out: {_evaluation(self._evaluated)}", style="cyan"))
        if self._duel is not None:
            lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in duel_lines(self._duel)]
            parts.append(Padding(Group(*lines), (1, 0, 0, 0)))
        parts += [Text(note, style="yellow") for note in self._notes]
        return Group(*parts)


def numbers(rows: list[Mapping[str, float]]) -> Table:
    """The newest step's numbers, with a small curve of the steps before."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for label, name in (
        ("Code LLM reward", "code/reward"),
        ("  passes new tests", "code/pass_new"),
        ("  passes old mistakes", "code/pass_hist"),
        ("Test LLM reward", "tests/reward"),
        ("  validity", "tests/validity"),
        ("  adversity", "tests/adversity"),
        ("  kill rate", "tests/kill_rate"),
    ):
        series = [row[name] for row in rows if name in row]
        if series:
            table.add_row(label, f"{series[-1]:.3f}", Text(sparkline(series[-40:]), style="green"))
    last = rows[-1]
    book = f"+{last['book/added']:.0f} −{last['book/removed']:.0f}, {last['book/size']:.0f} tests"
    table.add_row("Mistake Book", "", book)
    flat = ", ".join(f"{who} {last[name]:.0%}" for who, name in _FLAT.items() if name in last)
    table.add_row("groups that teach nothing", "", flat)
    return table


_FLAT = {"code": "code/flat_groups", "tests": "tests/flat_groups"}


def sparkline(values: list[float]) -> str:
    """A curve of one character a value, from the lowest to the highest."""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(8 * (value - low) / span))] for value in values)


def interesting(played: Played) -> Duel | None:
    """A duel worth showing: one that taught the Test LLM and in which something failed, else the first."""
    chosen = [played.duels[index] for index in played.lessons.selected] or list(played.duels)
    return next((duel for duel in chosen if _killer(duel)), chosen[0] if chosen else None)


def duel_lines(duel: Duel) -> list[str]:
    """A duel in five lines: question, candidate, what failed, counts, rewards."""
    tests = [test for suite in duel.suites for test in suite.tests]
    kept = [test for test in tests if test.kept]
    failed = sum(not test.passed for test in kept)
    killer = _killer(duel)
    loads = "" if duel.load is Load.OK else f"  [{duel.load.value}: {shown(duel.load_detail)}]"
    lines = [f"question   {shown(duel.question.prompt)}", f"candidate  {shown(duel.code)}{loads}"]
    if killer is None:
        lines.append("killer     none: the candidate passed every test")
    else:
        got = killer.verdict.got if killer.verdict and killer.verdict.got is not None else ""
        said = f"got {shown(got)}" if got else shown(killer.verdict.detail if killer.verdict else "")
        lines.append(f"killer     {shown(killer.source)}   {said}")
    lines.append(
        f"tests      {len(duel.suites)} suites, {len(tests)} tests, {len(kept)} kept, {failed} failed"
        f"; history {sum(test.passed for test in duel.history)} of {len(duel.history)} passed"
    )
    best = max(duel.suites, key=lambda suite: suite.reward, default=None)
    suite = f", best suite {best.reward:.2f} (valid {best.validity:.2f}, hard {best.adversity:.2f})" if best else ""
    lines.append(f"rewards    code {duel.reward:.2f}{suite}")
    return lines


def _killer(duel: Duel) -> JudgedTest | None:
    return next((test for suite in duel.suites for test in suite.kept if not test.passed), None)


def shown(text: str, most: int = 160) -> str:
    """Model-written text on one line, control and bidirectional characters spelt out."""
    line = " ⏎ ".join(part for part in text.strip().splitlines() if part.strip())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in line)


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


# -- before and after --------------------------------------------------------------------------------------------------


def print_plan(plan: Plan, write: Callable[[str], None] = print) -> None:
    """The plan of a run, for a person."""
    config, game = plan.config, plan.config.game
    name = config.preset or "run"
    write(
        f"{name}: {config.train.steps} steps of {game.questions} questions x {game.candidates} candidates",
    )
    write(f"  questions   {plan.questions} to train on, {plan.held_out} held out, from {config.problems.set}")
    for reason, count in plan.left_out.items():
        write(f"              {count} left out: {reason}")
    write(f"  epochs      {plan.epochs:.2f} ({plan.steps_an_epoch} steps each)")
    suites = plan.tests.samples if plan.tests else 0
    write(f"  a step      {plan.code.samples} candidates, {suites} suites of {game.tests}")
    write(f"              at most {plan.tests_judged} tests judged")
    for label, role in (("Code LLM", plan.code), ("Test LLM", plan.tests)):
        if role is None:
            continue
        size = f"{role.parameters / 1e6:.1f} M parameters" if role.parameters else "size not known before it is loaded"
        write(f"  {label}    {role.model} ({size})")
        taught = f"{role.update_samples} samples an update" if role.update_samples else "frozen"
        write(f"              {taught}, longest sequence {role.longest} tokens")
        if role.memory:
            write(f"              about {role.memory.peak / 1e9:.1f} GB at its peak")
    write(f"  evaluations {plan.evaluations} on held-out questions, {config.eval.samples} samples each")
    write(f"  saves       every {config.train.checkpoint_every} steps, the newest {config.train.keep_checkpoints} kept")
    write("")
    write(config.to_yaml().rstrip())


def print_summary(summary: Summary, console: Console | None = None) -> None:
    """What the run came to, for a person."""
    console = console or Console(width=None if sys.stdout.isatty() else WIDTH)
    total = sum(summary.seconds.values())
    console.print(f"\n[bold]{summary.folder}[/bold]: {summary.state} after {summary.steps} steps", highlight=False)
    if summary.gains:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in ("held out", "warm-up", "now", "gain, 95 % interval", ""):
            table.add_column(column)
        for gain in summary.gains:
            table.add_row(
                gain.name,
                f"{gain.before.mean:.3f}",
                f"{gain.after.mean:.3f}",
                f"{gain.gain.mean:+.3f} [{gain.gain.low:+.3f}, {gain.gain.high:+.3f}]",
                gain.verdict,
            )
        console.print(table)
    book = summary.book
    if book["added"]:
        console.print(
            f"Mistake Book: {book['added']:.0f} tests entered, {book['removed']:.0f} were mastered, "
            f"{book['size']:.0f} are open",
            highlight=False,
        )
    if total:
        models = sum(summary.seconds.get(name, 0.0) for name in ("write", "attack", "learn_code", "learn_tests"))
        console.print(
            f"time: {duration(total)} in steps, {1 - models / total:.0%} of it not the models'", highlight=False
        )
    console.print(f"open it: a1kit view {summary.folder}", highlight=False)
    if summary.state != "finished":
        console.print(f"go on:   a1kit resume {summary.folder}", highlight=False)
