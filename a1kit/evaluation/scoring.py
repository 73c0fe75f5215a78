"""A whole evaluation of a Code LLM: ask, write down, judge, count. Resumable, streaming, and it may refuse.

    with Ledger(path, settings) as ledger:
        report = score(benchmark, writer, examiner, ledger, mode=Mode.A1_PAPER, listen=show)
    report.code.avg, report.code.pass_at(4)

Questions are asked in batches of fixed membership with a seed of their own, so an evaluation that was killed and went
on gives the numbers of one that was not. Before anything is asked, the references take the benchmark's own tests; when
more than 1 % of them fail, the benchmark measures something else here than it says, and nothing is scored. References
that fail below that bound stay in the count, as in published numbers, and are named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

from a1kit.errors import InputError
from a1kit.evaluation.benchmarks import Benchmark
from a1kit.evaluation.examiner import Answer, Examiner
from a1kit.evaluation.ledger import Ledger
from a1kit.evaluation.measures import CodeReport, Estimate
from a1kit.evaluation.modes import Ask, Mode, ask, extract
from a1kit.policies.protocol import Policy, Sampling
from a1kit.types import Outcome, Question

MOST_FAILING = 0.01
"""Share of references that may fail before a benchmark is refused (method, section 6)."""


@dataclass(frozen=True, slots=True)
class Text:
    """What was written for a question. `program` marks one that is to be run as it is."""

    text: str
    tokens: int = 0
    finished: bool = True
    program: bool = False


class Writer(Protocol):
    """Where completions come from."""

    n: int

    def write(self, questions: Sequence[Question], batch: int) -> list[tuple[Text, ...]]:
        """n texts a question, in order. The same batch of the same questions gives the same texts."""
        ...

    def prefix(self, question: Question) -> str:
        """What stands in front of each text when the program is looked for."""
        ...


class PolicyWriter:
    """A language model that is asked."""

    def __init__(self, policy: Policy, n: int, mode: Mode, *, seed: int = 0, sampling: Sampling = Sampling()) -> None:
        self.n, self._policy, self._mode, self._seed, self._sampling = n, policy, mode, seed, sampling

    def write(self, questions: Sequence[Question], batch: int) -> list[tuple[Text, ...]]:
        asks = [self._ask(question) for question in questions]
        stop = tuple(dict.fromkeys((*self._sampling.stop, *(text for one in asks for text in one.stop))))
        sampling = Sampling(self._sampling.temperature, self._sampling.top_p, self._sampling.max_new_tokens, stop)
        seed = int.from_bytes(sha256(f"{self._seed}/{batch}".encode()).digest()[:4])
        drawn = self._policy.sample([one.prompt for one in asks], self.n, seed=seed, sampling=sampling)
        return [tuple(Text(one.text, len(one.ids), one.finished) for one in group) for group in drawn]

    def prefix(self, question: Question) -> str:
        return self._ask(question).prefix

    def _ask(self, question: Question) -> Ask:
        return ask(question, self._mode, getattr(self._policy, "tokenizer", None))


@dataclass(frozen=True, slots=True)
class Scored:
    """One question with all its candidates judged, and how far the evaluation is. `left` is None until it is known."""

    question: Question
    outcomes: tuple[Outcome, ...]
    details: tuple[str, ...]
    sealed: bool
    done: int
    total: int
    left: float | None = None

    @property
    def passes(self) -> int:
        return sum(outcome is Outcome.PASSED for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Report:
    """The numbers of an evaluation. `tokens` and `write_seconds` are those of the completions."""

    benchmark: Benchmark
    questions: tuple[Scored, ...]
    failed_references: Mapping[str, str]
    tokens: int
    write_seconds: float
    unfinished: int

    @property
    def n(self) -> int:
        return len(self.questions[0].outcomes)

    @property
    def code(self) -> CodeReport:
        return CodeReport(
            tuple(one.question for one in self.questions), self.n, tuple(one.passes for one in self.questions)
        )

    @property
    def unsealed(self) -> tuple[str, ...]:
        """Ids of questions whose answers a candidate could have looked for."""
        return tuple(one.question.id for one in self.questions if not one.sealed)

    def to_dict(self, ks: Sequence[int]) -> dict[str, Any]:
        """The report as JSON has it, one row a question."""
        outcomes = [outcome for one in self.questions for outcome in one.outcomes]
        return {
            "benchmark": self.benchmark.name,
            "questions": len(self.questions),
            "n": self.n,
            f"avg@{self.n}": _numbers(self.code.avg),
            **{f"pass@{k}": _numbers(self.code.pass_at(k)) for k in ks},
            "outcomes": {outcome.value: outcomes.count(outcome) for outcome in Outcome if outcome in outcomes},
            "sealed": len(self.questions) - len(self.unsealed),
            "unsealed": list(self.unsealed),
            "failed_references": dict(self.failed_references),
            "left_out": dict(self.benchmark.left_out),
            "missing_packages": list(self.benchmark.missing),
            "tokens": self.tokens,
            "tokens_per_second": round(self.tokens / self.write_seconds, 1) if self.write_seconds > 0 else None,
            "cut_by_length": self.unfinished,
            "per_question": [
                {"id": one.question.id, "passes": one.passes, "n": self.n, "sealed": one.sealed}
                for one in self.questions
            ],
        }


def _numbers(value: Estimate) -> dict[str, float]:
    return {"mean": value.mean, "low": value.low, "high": value.high}


def score(
    benchmark: Benchmark,
    writer: Writer,
    examiner: Examiner,
    ledger: Ledger,
    *,
    mode: Mode,
    batch: int = 1,
    listen: Callable[[Scored], None] = lambda scored: None,
) -> Report:
    """Ask every question, judge every candidate. Questions that the ledger has are not asked again.

    Raises InputError, naming them, when more than 1 % of the references fail.
    """
    failed = check_references(benchmark, examiner, ledger)
    questions, scored = benchmark.questions, list[Scored]()
    began, asked = time.monotonic(), 0
    for number, start in enumerate(range(0, len(questions), batch)):
        group = questions[start : start + batch]
        fresh = number not in ledger.judged
        _serve(group, number, writer, examiner, ledger, mode)
        asked += len(group) if fresh else 0
        done = start + len(group)
        left = (time.monotonic() - began) / asked * (len(questions) - done) if asked else None
        verdicts = ledger.judged[number]["verdicts"]
        for question in group:
            rows = verdicts[question.id]
            one = Scored(
                question,
                tuple(Outcome(row["outcome"]) for row in rows),
                tuple(row["detail"] for row in rows),
                examiner.is_sealed(question),
                done,
                len(questions),
                left,
            )
            scored.append(one)
            listen(one)
    texts = [text for record in ledger.written.values() for group in record["texts"].values() for text in group]
    return Report(
        benchmark,
        tuple(scored),
        failed,
        sum(text["tokens"] for text in texts),
        sum(record["seconds"] for record in ledger.written.values()),
        sum(not text["finished"] for text in texts),
    )


def check_references(benchmark: Benchmark, examiner: Examiner, ledger: Ledger) -> Mapping[str, str]:
    """Questions whose own reference fails, with the reason. Raises InputError when they are more than 1 %."""
    questions = benchmark.questions
    if ledger.references is None:
        verdicts = examiner.references(questions)
        failed = {
            question.id: f"{verdict.outcome}: {verdict.detail}"
            for question, verdict in zip(questions, verdicts, strict=True)
            if not verdict.passed
        }
        ledger.put({"kind": "references", "failed": failed})
    known = ledger.references
    assert known is not None
    if len(known) > MOST_FAILING * len(questions):
        named = "; ".join(f"{name} ({reason[:80]})" for name, reason in list(known.items())[:20])
        more = f" and {len(known) - 20} more" if len(known) > 20 else ""
        raise InputError(
            f"{benchmark.name} is not scored: {len(known)} of {len(questions)} reference solutions fail its own tests "
            f"here, more than 1 %: {named}{more}. Mend the data, give more time with --seconds, or leave those "
            "questions out with --without-failing"
        )
    return known


def _serve(
    group: Sequence[Question], number: int, writer: Writer, examiner: Examiner, ledger: Ledger, mode: Mode
) -> None:
    """Have the batch written and judged, whatever of it has not been yet."""
    if number not in ledger.written:
        began = time.monotonic()
        written = writer.write(group, number)
        texts = {
            question.id: [
                {"text": one.text, "tokens": one.tokens, "finished": one.finished, "program": one.program}
                for one in texts
            ]
            for question, texts in zip(group, written, strict=True)
        }
        seconds = round(time.monotonic() - began, 3)
        ledger.put({"kind": "written", "batch": number, "seconds": seconds, "texts": texts})
    if number not in ledger.judged:
        answers = answers_of(group, writer, ledger.written[number]["texts"], mode)
        verdicts = iter(examiner.verdicts(answers))
        told = {
            question.id: [
                {"outcome": verdict.outcome.value, "detail": verdict.detail[:300]}
                for verdict in (next(verdicts) for _ in range(writer.n))
            ]
            for question in group
        }
        ledger.put({"kind": "judged", "batch": number, "verdicts": told})


def answers_of(
    group: Sequence[Question], writer: Writer, texts: Mapping[str, Sequence[Mapping[str, Any]]], mode: Mode
) -> list[Answer]:
    """The programs in the texts of a batch, question by question."""
    answers = []
    for question in group:
        prefix = writer.prefix(question)
        for one in texts[question.id]:
            code = one["text"] if one["program"] else extract(one["text"], question, mode, prefix)
            answers.append(Answer(question, code))
    return answers


def without_failing(benchmark: Benchmark, examiner: Examiner) -> Benchmark:
    """The benchmark without the questions whose reference fails; they are counted under `left_out`."""
    verdicts = examiner.references(benchmark.questions)
    kept = tuple(question for question, verdict in zip(benchmark.questions, verdicts, strict=True) if verdict.passed)
    if not kept:
        raise InputError(f"{benchmark.name}: every reference fails its own tests here; there is nothing to score")
    gone = len(benchmark.questions) - len(kept)
    left_out = {**benchmark.left_out, **({"its reference fails": gone} if gone else {})}
    return Benchmark(benchmark.name, kept, left_out, benchmark.missing, benchmark.packages)
