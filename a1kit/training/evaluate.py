"""The held-out evaluation of a run: the Code LLM on golden tests, the Test LLM on programs known to be wrong.

The same questions, wrong programs and seed every time, so that two evaluations of a run can be compared question by
question. Each is kept whole in `evaluations/<step>.json`: what the summary's intervals are computed from.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from a1kit.config import RunConfig
from a1kit.duel import Judge
from a1kit.evaluation import CodeReport, Estimate, SuiteReport, Target, evaluate_code, evaluate_tests
from a1kit.parsing import parse_code
from a1kit.policies.protocol import Sampling
from a1kit.problems.worlds import fault_names, faults_of, wrong_programs
from a1kit.prompts import PromptStyle
from a1kit.store.files import make_folder, write_text_whole
from a1kit.training.forgetting import forgetting, look_back
from a1kit.training.step import Player, Table, seed_for
from a1kit.types import Question

EVALUATIONS = "evaluations"
OLD_FAILURES = "old failures"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What a run is measured on, and how. `trained` are the questions of the run itself, for looking back at them."""

    config: RunConfig
    judge: Judge
    questions: tuple[Question, ...]
    targets: tuple[Target, ...]
    trained: tuple[Question, ...] = ()

    def measure(self, table: Table, step: int, folder: Path) -> dict[str, float]:
        """Measure both models, keep the reports in the run folder, and give the numbers for the metrics row."""
        numbers: dict[str, float] = {}
        kept: dict[str, Any] = {"step": step}
        if self.questions:
            numbers |= self._code(table.code, kept)
        if self.targets and table.tests is not None:
            numbers |= self._tests(table.tests, kept)
        if self.config.eval.look_back and step:
            numbers |= self._old_failures(table.code, kept, folder)
        make_folder(folder / EVALUATIONS)
        write_text_whole(folder / EVALUATIONS / f"{step:06d}.json", json.dumps(kept))
        return numbers

    def _code(self, code: Player, kept: dict[str, Any]) -> Mapping[str, float]:
        report = evaluate_code(
            code.policy,
            self.judge,
            self.questions,
            n=self.config.eval.samples,
            seed=self._seed,
            sampling=self._sampling(code),
            style=self._style,
        )
        kept["code"] = _code_kept(report)
        return {**_code_numbers(report), **_fault_rates(report)}

    def _tests(self, tests: Player, kept: dict[str, Any]) -> Mapping[str, float]:
        def measured(*, black_box: bool) -> SuiteReport:
            return evaluate_tests(
                tests.policy,
                self.judge,
                self.targets,
                seed=self._seed,
                sampling=self._sampling(tests),
                style=self._style,
                black_box=black_box,
            )

        report = measured(black_box=not self.config.game.shows_code)
        kept["tests"] = _tests_kept(report)
        numbers = dict(_tests_numbers(report))
        if self.config.eval.hidden:
            hidden = measured(black_box=True) if self.config.game.shows_code else report
            kept["tests hidden"] = _tests_kept(hidden)
            numbers["eval/kill_rate_hidden"] = hidden.kill.mean
        return numbers

    def _old_failures(self, code: Player, kept: dict[str, Any], folder: Path) -> Mapping[str, float]:
        candidates = self.config.eval.look_back
        passes = look_back(
            folder,
            code.policy,
            self.judge,
            self.trained,
            candidates=candidates,
            seed=self._seed,
            sampling=self._sampling(code),
            style=self._style,
        )
        earlier = [report[OLD_FAILURES]["passes"] for report in read_evaluations(folder) if OLD_FAILURES in report]
        kept[OLD_FAILURES] = {"candidates": candidates, "passes": passes}
        return forgetting(passes, earlier, candidates)

    @property
    def _seed(self) -> int:
        return seed_for(self.config.seed, 0, "evaluate")

    @property
    def _style(self) -> PromptStyle:
        return PromptStyle(self.config.game.style)

    def _sampling(self, player: Player) -> Sampling:
        return replace(player.sampling, temperature=self.config.eval.temperature, top_p=self.config.eval.top_p)


def held_out(
    config: RunConfig, questions: Sequence[Question], judge: Judge, trained: Sequence[Question] = ()
) -> HeldOut | None:
    """What to measure a run on; None when its problem set leaves nothing.

    Tests are measured with their predicted answers even where the game leaves them out: what a test is worth outside
    the game depends on them (Paper §4.4).
    """
    with_golden = [question for question in questions if question.golden]
    if config.eval.questions and config.eval.questions < len(with_golden):
        chosen = random.Random(f"held-out/{config.problems.pool_seed}").sample(with_golden, config.eval.questions)
        names = {question.id for question in chosen}
        with_golden = [question for question in with_golden if question.id in names]
    targets = tuple(wrong_targets(with_golden)) if config.eval.kill else ()
    if not with_golden:
        return None
    judge = judge.under(replace(judge.rules, predictions=True))
    return HeldOut(config, judge, tuple(with_golden), targets, tuple(trained))


def wrong_targets(questions: Sequence[Question]) -> Iterator[Target]:
    """Programs known to be wrong for these questions, to measure a Test LLM on."""
    return (Target(buggy.question, buggy.code, buggy.bug) for buggy in wrong_programs(questions))


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """The evaluations of a run, by step."""
    files = sorted((folder / EVALUATIONS).glob("[0-9]*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in files]


def drop_evaluations(folder: Path, step: int) -> None:
    """Forget the evaluations after `step`: going back to a checkpoint."""
    for path in (folder / EVALUATIONS).glob("[0-9]*.json"):
        if int(path.stem) > step:
            path.unlink()


def _code_numbers(report: CodeReport) -> Mapping[str, float]:
    return {
        **_bounds("eval/avg", report.avg),
        "eval/greedy": report.greedy.mean,
        "eval/solved": statistics.fmean(share > 0 for share in report.shares),
    }


def _fault_rates(report: CodeReport) -> Mapping[str, float]:
    """`eval/fault/guard`: the share of sampled programs that show a fault, where the world can tell from the text."""
    names = fault_names(report.questions)
    if not names:
        return {}
    found = [
        faults_of(question, parse_code(completion.text, question.entry_point).code)
        for question, group in zip(report.questions, report.completions, strict=True)
        for completion in group
    ]
    return {f"eval/fault/{name}": statistics.fmean(name in faults for faults in found) for name in names}


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
