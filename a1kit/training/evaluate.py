"""The held-out evaluation of a run: the Code LLM on golden tests, the Test LLM on programs known to be wrong.

The same questions, wrong programs and seed every time, so that two evaluations of a run can be compared question by
question. Each is kept whole in `evaluations/<step>.json`: what the summary's intervals are computed from.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from a1kit.config import RunConfig
from a1kit.duel import Judge
from a1kit.evaluation import CodeReport, Estimate, SuiteReport, Target, evaluate_code, evaluate_tests
from a1kit.policies.protocol import Sampling
from a1kit.prompts import PromptStyle
from a1kit.store.files import make_folder, write_text_whole
from a1kit.training.step import Table, seed_for
from a1kit.types import Question

EVALUATIONS = "evaluations"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What a run is measured on, and how."""

    config: RunConfig
    judge: Judge
    questions: tuple[Question, ...]
    targets: tuple[Target, ...]

    def measure(self, table: Table, step: int, folder: Path) -> dict[str, float]:
        """Measure both models, keep the reports in the run folder, and give the numbers for the metrics row."""
        config = self.config
        style = PromptStyle(config.game.style)
        seed = seed_for(config.seed, 0, "evaluate")
        numbers: dict[str, float] = {}
        kept: dict[str, Any] = {"step": step}
        if self.questions:
            code = evaluate_code(
                table.code.policy,
                self.judge,
                self.questions,
                n=config.eval.samples,
                seed=seed,
                sampling=_sampling(config, table.code.sampling),
                style=style,
            )
            numbers |= _code_numbers(code)
            kept["code"] = _code_kept(code)
        if self.targets and table.tests is not None:
            tests = evaluate_tests(
                table.tests.policy,
                self.judge,
                self.targets,
                seed=seed,
                sampling=_sampling(config, table.tests.sampling),
                style=style,
                black_box=not config.game.see_code,
            )
            numbers |= _tests_numbers(tests)
            kept["tests"] = _tests_kept(tests)
        make_folder(folder / EVALUATIONS)
        write_text_whole(folder / EVALUATIONS / f"{step:06d}.json", json.dumps(kept))
        return numbers


def held_out(config: RunConfig, questions: Sequence[Question], judge: Judge) -> HeldOut | None:
    """What to measure a run on; None when its problem set leaves nothing."""
    with_golden = [question for question in questions if question.golden]
    if config.eval.questions and config.eval.questions < len(with_golden):
        chosen = random.Random(f"held-out/{config.problems.pool_seed}").sample(with_golden, config.eval.questions)
        names = {question.id for question in chosen}
        with_golden = [question for question in with_golden if question.id in names]
    targets = tuple(wrong_programs(with_golden)) if config.eval.kill else ()
    if not with_golden:
        return None
    return HeldOut(config, judge, tuple(with_golden), targets)


def wrong_programs(questions: Sequence[Question]) -> Iterable[Target]:
    """Programs known to be wrong for these questions: those a problem set brings along in `meta["bugs"]`, and the micro
    world's, which it makes."""
    for question in questions:
        for bug in question.meta.get("bugs", ()):
            yield Target(question, bug.source, bug.name)
    micro = {question.id for question in questions if question.id.startswith("micro/")}
    if micro:
        from a1kit.problems.micro import kill_set

        yield from (Target(buggy.question, buggy.code, buggy.bug) for buggy in kill_set() if buggy.question.id in micro)


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """The evaluations of a run, by step."""
    files = sorted((folder / EVALUATIONS).glob("[0-9]*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in files]


def drop_evaluations(folder: Path, step: int) -> None:
    """Forget the evaluations after `step`: going back to a checkpoint."""
    for path in (folder / EVALUATIONS).glob("[0-9]*.json"):
        if int(path.stem) > step:
            path.unlink()


def _sampling(config: RunConfig, training: Sampling) -> Sampling:
    return replace(training, temperature=config.eval.temperature, top_p=config.eval.top_p)


def _code_numbers(report: CodeReport) -> Mapping[str, float]:
    return {
        **_bounds("eval/avg", report.avg),
        "eval/greedy": report.greedy.mean,
        "eval/solved": statistics.fmean(share > 0 for share in report.shares),
    }


def _tests_numbers(report: SuiteReport) -> Mapping[str, float]:
    return {
        **_bounds("eval/quality", report.quality),
        "eval/validity": report.validity.mean,
        "eval/kill_rate": report.kill.mean,
    }


def _bounds(name: str, value: Estimate) -> Mapping[str, float]:
    return {name: value.mean, f"{name}_low": value.low, f"{name}_high": value.high}


def _code_kept(report: CodeReport) -> dict[str, Any]:
    return {
        "n": report.n,
        "questions": [question.id for question in report.questions],
        "passes": list(report.passes),
        "greedy": [bool(passed) for passed in report.greedy_passes],
    }


def _tests_kept(report: SuiteReport) -> dict[str, Any]:
    return {
        "targets": [[target.question.id, target.label] for target in report.targets],
        "validities": list(report.validities),
        "kills": list(report.kills),
    }
