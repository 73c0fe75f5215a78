"""Whole test programs, and questions that are worth judging with.

A benchmark such as HumanEval+ ships a program that defines `check(candidate)` and raises when the candidate is wrong.
Here candidate and test share a child, as their authors meant it, so a candidate that goes looking can find the expected
answers: use this to evaluate, and `a1kit.duel.Judge` to train.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from a1kit.duel.docket import read_reference
from a1kit.duel.judging import Judge
from a1kit.duel.verdicts import failure, shown
from a1kit.errors import QuestionError
from a1kit.sandbox import wire
from a1kit.sandbox.protocol import Call, Job, Limits, Sandbox, Status
from a1kit.types import Completion, Load, Outcome, Question, State, Verdict

_CANDIDATE = "_a1kit_candidate"
_NAMES = "_a1kit_names"
_CHECK = Call(f"{_NAMES}['check']({_CANDIDATE})")
_NONE = wire.read(b"null").strict
_LOADS = {
    Status.TIMEOUT: Outcome.TIMEOUT,
    Status.MEMORY: Outcome.MEMORY,
    Status.REFUSED: Outcome.REFUSED,
    Status.CRASHED: Outcome.CRASHED,
}


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A candidate with the test program that decides about it.

    `test` is source that defines `check(candidate)`. It runs after `code`, in a copy of its names: it sees what `code`
    defines, and what it defines or imports itself, under whatever names, changes nothing for `code`. It is given what
    `code` calls `entry_point`. The candidate passes when `check` returns None.
    """

    code: str
    test: str
    entry_point: str


def run_checks(
    sandbox: Sandbox, programs: Sequence[CheckedProgram], *, seconds: float = 10.0, memory_mb: int = 4096
) -> list[Verdict]:
    """The verdict of every program's own test, in order. `seconds` of CPU for each, and as much for loading it."""
    limits = Limits(seconds, max(3.0, seconds), 2.0 * max(3.0, seconds), memory_mb=memory_mb)
    jobs = [Job(_assembled(one), (_CHECK,), limits) for one in programs]
    verdicts = []
    for result in sandbox.run_jobs(jobs):
        seen = result.observations[0] if result.observations else result.load
        if result.load.status is not Status.OK:
            verdicts.append(Verdict(_LOADS.get(result.load.status, Outcome.RAISED), None, result.load.detail))
        elif seen.status is not Status.OK or seen.value is None:
            verdicts.append(_failed_check(seen.exception) or failure(seen))
        elif seen.value.strict == _NONE:
            verdicts.append(Verdict(Outcome.PASSED))
        else:
            verdicts.append(Verdict(Outcome.WRONG, shown(seen.value), "the test program did not return None"))
    return verdicts


def _assembled(one: CheckedProgram) -> str:
    return (
        f"{one.code}\n\n{_CANDIDATE} = {one.entry_point}\n{_NAMES} = dict(globals())\n"
        f"exec(compile({one.test!r}, '<test>', 'exec', dont_inherit=True), {_NAMES})\n"
    )


def _failed_check(exception: str | None) -> Verdict | None:
    return Verdict(Outcome.WRONG, None, "an assertion failed") if exception == "AssertionError" else None


def validate_question(question: Question, sandbox: Sandbox, *, call_seconds: float = 1.0) -> None:
    """Raise `QuestionError`, naming the question and the reason, unless it can be judged with.

    The reference must define the entry point, load, and pass every golden test; every golden test must be one that the
    judge can play.
    """
    _validate(question, Judge(sandbox, call_seconds=call_seconds, cache_mb=0))


def validate_questions(
    questions: Iterable[Question], sandbox: Sandbox, *, call_seconds: float = 1.0, threads: int = 4
) -> list[QuestionError]:
    """The errors of all questions that cannot be judged with, in order; empty when every question is fine."""
    judge = Judge(sandbox, call_seconds=call_seconds, cache_mb=0)

    def fault(question: Question) -> QuestionError | None:
        try:
            _validate(question, judge)
        except QuestionError as error:
            return error
        return None

    with ThreadPoolExecutor(threads) as pool:
        return [error for error in pool.map(fault, questions) if error is not None]


def _validate(question: Question, judge: Judge) -> None:
    where = f"question {question.id!r}"
    if not question.entry_point.isidentifier():
        raise QuestionError(
            f"{where}: the entry point {question.entry_point!r} is not a name; give the function's name"
        )
    (duel,) = judge.play_golden([(question, Completion(read_reference(question)))])
    if duel.load is not Load.OK:
        raise QuestionError(f"{where}: the reference does not load ({duel.load}: {duel.load_detail})")
    for test in duel.history:
        if test.state is State.MALFORMED:
            raise QuestionError(f"{where}: golden test {test.source!r} cannot be played: {test.detail}")
        if not test.passed:
            raise QuestionError(
                f"{where}: the reference fails golden test {test.source!r} ({test.state}: "
                f"{test.detail or (test.verdict.detail if test.verdict else '')}); mend the test or the reference"
            )
