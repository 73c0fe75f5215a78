"""From a course to models on disk: train them side by side, save them, measure them.

A warm-up is a fixed number of optimizer steps from a seed: the same seed, thread count and library versions give the
same weights. What it reached is measured on questions no training saw and written beside the weights
(`provenance.json`).
"""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import shutil
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from a1kit.duel import Judge
from a1kit.errors import InfrastructureError
from a1kit.evaluation import Target, evaluate_code, evaluate_tests
from a1kit.policies import HFPolicy, PolicyConfig, Sampling
from a1kit.policies.models import quiet
from a1kit.prompts import PromptStyle
from a1kit.rewards import Rules
from a1kit.sandbox import LocalSandbox
from a1kit.warmup.course import Course, Kind, Schedule
from a1kit.warmup.learning import Progress, Trainer

THREADS = 2
"""Weights depend on the number of threads in their last bits, so it is the same everywhere."""

PROVENANCE = "provenance.json"

_README = """# {name}

A model of the world `{world}` of a1kit: a Llama-architecture transformer of {size:.2f} M parameters that
knows nothing but that world. Made from random weights by `{made_by}` in {steps} optimizer steps; weights in half
precision, licence as the project's. What it reached is in `provenance.json`. It is of no use for anything else.
"""


@dataclass(frozen=True, slots=True)
class Warm:
    """A finished warm-up."""

    model: LlamaForCausalLM
    tokenizer: PreTrainedTokenizerFast
    progress: Progress


def warm_up(
    course: Course, kind: Kind, seed: int, report: Callable[[Progress], None], schedule: Schedule | None = None
) -> Warm:
    """One model of a course, trained from random weights on the current process's threads."""
    torch.set_flush_denormal(True)
    tokenizer = course.tokenizer()
    trainer = Trainer(course, kind, tokenizer, seed, schedule)
    last: list[Progress] = []

    def keep(progress: Progress) -> None:
        last[:] = [progress]
        report(progress)

    trainer.run(keep)
    return Warm(trainer.model, tokenizer, last[0])


def save(warm: Warm, folder: Path, course: Course, seed: int) -> None:
    """Writes model (half precision, so that both fit in a few megabytes), tokenizer and provenance as a folder that
    `AutoModelForCausalLM` and `AutoTokenizer` load. The folder is written aside and renamed."""
    aside = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    warm.model.to(torch.float16).save_pretrained(aside)
    warm.tokenizer.save_pretrained(aside)
    facts = {
        "model": folder.name,
        "world": course.name,
        "made_by": f"a1kit warmup {course.name} --seed {seed}",
        "seed": seed,
        "steps": warm.progress.steps,
        "loss": round(warm.progress.loss, 4),
        "answers_right": round(warm.progress.answers_right, 4),
        "seconds": round(warm.progress.seconds, 1),
        "threads": torch.get_num_threads(),
        "versions": {name: metadata.version(name) for name in ("torch", "transformers", "tokenizers")},
    }
    (aside / PROVENANCE).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    millions = sum(weight.numel() for weight in warm.model.parameters()) / 1e6
    (aside / "README.md").write_text(_README.format(name=folder.name, size=millions, **facts), encoding="utf-8")
    for path in aside.iterdir():
        path.chmod(0o644)
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)


def make(
    course: Course,
    out: Path,
    seed: int,
    report: Callable[[Progress], None],
    schedules: Mapping[Kind, Schedule] | None = None,
) -> None:
    """The models of a course into folders of `out`, each in a process of its own on an equal share of `THREADS`.
    `schedules` replaces the course's own, for trials.

    Raises InfrastructureError when one of the processes ends without having saved its model.
    """
    schedules = schedules or course.schedules
    out.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    said: multiprocessing.Queue[Progress] = context.Queue()
    workers = {
        kind: context.Process(
            target=_work,
            args=(course, kind, seed, out / course.model_name(kind), schedule, THREADS // len(schedules), said),
            daemon=True,
        )
        for kind, schedule in schedules.items()
    }
    try:
        for worker in workers.values():
            worker.start()
        running = True
        while running:
            # Asked before the queue is emptied: what a worker said before its end is then still heard.
            running = any(worker.is_alive() for worker in workers.values())
            for kind, worker in workers.items():
                if worker.exitcode:
                    raise InfrastructureError(
                        f"the warm-up of {course.model_name(kind)} ended with exit status {worker.exitcode}; "
                        "its error is above"
                    )
            with suppress(queue.Empty):
                while True:
                    report(said.get(timeout=0.5))
    finally:
        for worker in workers.values():
            if worker.is_alive():
                worker.terminate()
                worker.join()


def _work(
    course: Course,
    kind: Kind,
    seed: int,
    folder: Path,
    schedule: Schedule,
    threads: int,
    said: multiprocessing.Queue[Progress],
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends this process
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    quiet()
    torch.set_num_threads(threads)
    save(warm_up(course, kind, seed, said.put, schedule), folder, course, seed)


def _leave_with_parent() -> None:
    """End this process when its parent has died, which may have been killed and so ended nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def measure(course: Course, folder: Path, seed: int = 0) -> dict[Kind, dict[str, float]]:
    """What the models under `folder` reach on the course's questions: the numbers of its bands.

    Raises InputError when a model is missing, SandboxUnavailable when nothing can be judged.
    """
    with LocalSandbox() as sandbox:
        judge = Judge(sandbox, Rules(k=course.suite_size))
        found = {}
        for kind, bands in course.bands.items():
            policy = HFPolicy(PolicyConfig(str(folder / course.model_name(kind)), name=course.model_name(kind)))
            numbers = _measured(course, kind, policy, judge, seed)
            found[kind] = {name: numbers[name] for name in bands}
    return found


def _measured(course: Course, kind: Kind, policy: HFPolicy, judge: Judge, seed: int) -> dict[str, float]:
    sampling, style = Sampling(max_new_tokens=course.max_new_tokens), PromptStyle.MICRO
    numbers: dict[str, float] = {}
    if kind != "test":
        code = evaluate_code(policy, judge, course.questions(), seed=seed, sampling=sampling, style=style)
        numbers |= {"avg@8": code.avg.mean, "greedy": code.greedy.mean}
    if kind != "code":
        targets = [Target(buggy.question, buggy.code, buggy.bug) for buggy in course.targets()]
        shown, hidden = (
            evaluate_tests(
                policy, judge, targets, suites=2, seed=seed, sampling=sampling, style=style, black_box=black_box
            )
            for black_box in (False, True)
        )
        numbers |= {
            "validity": shown.validity.mean,
            "kill": shown.kill.mean,
            "quality": shown.quality.mean,
            "kill, code hidden": hidden.kill.mean,
        }
    return numbers


def record(course: Course, folder: Path, measured: Mapping[Kind, Mapping[str, float]]) -> None:
    """Writes what was measured into the provenance of each model."""
    for kind, numbers in measured.items():
        path = folder / course.model_name(kind) / PROVENANCE
        facts = json.loads(path.read_text(encoding="utf-8"))
        facts["measured"] = {name: round(value, 4) for name, value in numbers.items()}
        path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
