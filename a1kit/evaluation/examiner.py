"""Programs in, verdicts out: the golden tests or the benchmark's own test program, sealed wherever that can be done.

| what the question has                        | how its programs are judged                              | sealed |
|----------------------------------------------|----------------------------------------------------------|--------|
| a test program of inputs and results         | inputs to the candidate, results in another child        | yes    |
| golden assertions (and no other program)     | `a1kit.duel.Judge`: calls out, values compared here      | yes    |
| any other test program (unittest, asserts)   | candidate and test share a child, as its authors meant   | no     |

A test program of inputs and results is not sealed either when the reference's own values cannot leave its child (they
are too large, or of a kind that the wire does not know). The reference decides that, never a candidate.

A candidate under an unsealed test can find the answers if it goes looking, so such questions are marked. Failure of
the machinery raises; it never becomes a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from a1kit.duel import CheckedProgram, Judge, passes_all, run_checks
from a1kit.duel.verdicts import failure
from a1kit.errors import InputError
from a1kit.evaluation.sealed import Rule, SealedTest, take_apart
from a1kit.sandbox.protocol import Job, Limits, Observation, ProgramResult, Sandbox, Status
from a1kit.types import Completion, Load, Outcome, Question, Verdict

SECONDS = 10.0
"""CPU seconds of one program with all its tests (method, section 6)."""

MEMORY_MB = 4096

MAX_VALUES, MAX_VALUE_BYTES = 1024, 2 << 20
"""Values, and bytes of them, that one checker is given; more are split over several."""

_TRUE = b"true"
_LOADS = {
    Load.TIMEOUT: Outcome.TIMEOUT,
    Load.MEMORY: Outcome.MEMORY,
    Load.REFUSED: Outcome.REFUSED,
    Load.CRASHED: Outcome.CRASHED,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A program that is meant to solve a question. "" when a completion held none."""

    question: Question
    code: str


class Examiner:
    """Judges answers in a sandbox that it does not own.

    One examiner is for one benchmark: it remembers questions by their ids.

    rule      how values are compared where inputs and results are known (`a1kit.evaluation.sealed`)
    sealed    False runs every test program whole, beside the candidate: for comparing the two ways
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        rule: Rule = Rule.PROGRAM,
        seconds: float = SECONDS,
        memory_mb: int = MEMORY_MB,
        sealed: bool = True,
    ) -> None:
        if not 0 < seconds <= 300:
            raise InputError(f"seconds is {seconds}: use a number above 0, at most 300")
        self._sandbox, self._rule, self._seal = sandbox, rule, sealed
        self._seconds, self._memory_mb = seconds, memory_mb
        self._judge = Judge(sandbox, call_seconds=seconds, program_seconds=seconds, memory_mb=memory_mb)
        self._tests: dict[str, SealedTest | None] = {}
        self._known: dict[tuple[str, str], Verdict] = {}

    def is_sealed(self, question: Question) -> bool:
        """Whether the answers to this question stay outside of the candidate's process."""
        self._prepare([question])
        return self._tests[question.id] is not None or _program_of(question) is None

    def references(self, questions: Sequence[Question]) -> list[Verdict]:
        """The verdicts on the questions' own reference solutions, in order."""
        return self.verdicts([Answer(question, question.reference) for question in questions])

    def verdicts(self, answers: Sequence[Answer]) -> list[Verdict]:
        """One verdict an answer, in order. Equal answers to one question are run once.

        Raises InputError for a question that has nothing to test with, SandboxUnavailable when the machinery fails.
        """
        self._prepare([one.question for one in answers])
        distinct = {(one.question.id, one.code): one for one in answers}
        found = {key: self._known[key] for key in distinct if key in self._known}
        ways: dict[str, list[Answer]] = {"none": [], "sealed": [], "golden": [], "program": []}
        for key, one in distinct.items():
            if key not in found:
                ways[self._way(one)].append(one)
        for way, judge in (("sealed", self._sealed), ("golden", self._golden), ("program", self._programs)):
            for one, verdict in zip(ways[way], judge(ways[way]), strict=True):
                found[one.question.id, one.code] = verdict
        for one in ways["none"]:
            found[one.question.id, one.code] = Verdict(Outcome.RAISED, None, "the completion holds no program")
        return [found[one.question.id, one.code] for one in answers]

    def _prepare(self, questions: Sequence[Question]) -> None:
        """Take new questions' test programs apart, and give up on those whose reference cannot be seen from outside."""
        new = {question.id: question for question in questions if question.id not in self._tests}
        for question in new.values():
            program = _program_of(question) if self._seal else None
            self._tests[question.id] = take_apart(program, question.entry_point, self._rule) if program else None
        own = [Answer(question, question.reference) for question in new.values() if self._tests[question.id]]
        seen = self._observe(own)
        for one, result in zip(own, seen, strict=True):
            if any(each.status is Status.UNSUPPORTED for each in result.observations):
                self._tests[one.question.id] = None
        ready = [(one, result) for one, result in zip(own, seen, strict=True) if self._tests[one.question.id]]
        verdicts = self._compare([one for one, _ in ready], [result for _, result in ready])
        for (one, _), verdict in zip(ready, verdicts, strict=True):
            self._known[one.question.id, one.code] = verdict

    def _way(self, one: Answer) -> str:
        if not one.code.strip():
            return "none"
        if self._tests[one.question.id] is not None:
            return "sealed"
        if _program_of(one.question) is not None:
            return "program"
        if not one.question.golden:
            raise InputError(
                f"question {one.question.id!r} has neither golden tests nor a test program, so nothing can be "
                "measured on it; give the column golden or check"
            )
        return "golden"

    # -- inputs out, values back, results elsewhere --------------------------------------------------------------------

    def _sealed(self, answers: Sequence[Answer]) -> list[Verdict]:
        return self._compare(answers, self._observe(answers))

    def _observe(self, answers: Sequence[Answer]) -> list[ProgramResult]:
        """What each program gives for the inputs. Values that cannot leave are asked for again, reduced to what the
        checker looks at."""
        tests = [self._test_of(one) for one in answers]
        jobs = [Job(one.code, test.calls, self._limits()) for one, test in zip(answers, tests, strict=True)]
        results = self._sandbox.run_jobs(jobs)
        places = [
            place
            for place, (test, result) in enumerate(zip(tests, results, strict=True))
            if test.again and any(one.status is Status.UNSUPPORTED for one in result.observations)
        ]
        jobs = [Job(answers[place].code, tests[place].again, self._limits()) for place in places]
        for place, result in zip(places, self._sandbox.run_jobs(jobs), strict=True):
            results[place] = result
        return results

    def _compare(self, answers: Sequence[Answer], seen: Sequence[ProgramResult]) -> list[Verdict]:
        """The checkers' verdicts on what was seen."""
        verdicts: list[Verdict | None] = [_unhappy(result) for result in seen]
        jobs: list[Job] = []
        owners: list[int] = []
        for place, (one, result) in enumerate(zip(answers, seen, strict=True)):
            if verdicts[place] is None:
                made = list(self._checks(self._test_of(one), result.observations[1:]))
                jobs += made
                owners += [place] * len(made)
        for place, told in zip(owners, self._sandbox.run_jobs(jobs), strict=True):
            verdicts[place] = verdicts[place] or _told(told)
        return [verdict or Verdict(Outcome.PASSED) for verdict in verdicts]

    def _test_of(self, one: Answer) -> SealedTest:
        test = self._tests[one.question.id]
        assert test is not None
        return test

    def _checks(self, test: SealedTest, observations: Sequence[Observation]) -> Iterable[Job]:
        """The checker over all values, in as many jobs as their size asks for."""
        values: list[bytes] = []
        size = start = 0
        for seen in observations:
            assert seen.value is not None
            if values and (len(values) == MAX_VALUES or size + len(seen.value.wire) > MAX_VALUE_BYTES):
                yield self._check(test, values, start)
                start, size, values = start + len(values), 0, []
            values.append(seen.value.wire)
            size += len(seen.value.wire)
        yield self._check(test, values, start)

    def _check(self, test: SealedTest, values: Sequence[bytes], start: int) -> Job:
        return Job(test.checker, (test.question_of(len(values), start),), self._limits(), tuple(values))

    def _limits(self) -> Limits:
        return Limits(
            self._seconds,
            max(3.0, self._seconds),
            self._seconds + 3.0,
            memory_mb=self._memory_mb,
            output_bytes=32 << 20,
        )

    # -- the other ways ------------------------------------------------------------------------------------------------

    def _golden(self, answers: Sequence[Answer]) -> list[Verdict]:
        duels = self._judge.play_golden([(one.question, Completion(one.code)) for one in answers])
        verdicts = []
        for duel in duels:
            if passes_all(duel):
                verdicts.append(Verdict(Outcome.PASSED))
            elif duel.load is not Load.OK:
                verdicts.append(Verdict(_LOADS.get(duel.load, Outcome.RAISED), None, duel.load_detail))
            else:
                failed = next(test for test in duel.history if not test.passed)
                verdicts.append(failed.verdict or Verdict(Outcome.WRONG, None, failed.detail))
        return verdicts

    def _programs(self, answers: Sequence[Answer]) -> list[Verdict]:
        programs = [_checked(one) for one in answers]
        return run_checks(self._sandbox, programs, seconds=self._seconds, memory_mb=self._memory_mb)


def _program_of(question: Question) -> str | None:
    """The question's own test program, unless it is nothing but its golden tests."""
    program = question.meta.get("check")
    if not isinstance(program, str) or not program.strip():
        return None
    only_golden = question.golden and program.strip() == "\n".join(question.golden).strip()
    return None if only_golden else program


def _checked(one: Answer) -> CheckedProgram:
    """A test program that defines `check` is called with the candidate; any other is run after it."""
    program = _program_of(one.question)
    assert program is not None
    entry_point = one.question.entry_point
    head, call, rest = program.rpartition(f"\n\ncheck({entry_point})")
    if call and not rest.strip() and "def check(" in head:
        return CheckedProgram(one.code, head, entry_point)
    wrapped = f"def check(_):\n    exec(compile({program!r}, '<test>', 'exec', dont_inherit=True), globals())\n"
    return CheckedProgram(one.code, wrapped, entry_point)


def _unhappy(result: ProgramResult) -> Verdict | None:
    """The verdict on a program that did not answer every call, or lacks the function; None for one that did."""
    if result.load.status is Status.SYNTAX:
        return Verdict(Outcome.RAISED, None, result.load.detail)
    if result.load.status is not Status.OK:
        return failure(result.load)
    names, *observations = result.observations
    if names.value is None or names.value.wire != _TRUE:
        return Verdict(Outcome.RAISED, None, names.detail or "the function asked for is not callable")
    for place, seen in enumerate(observations):
        if seen.status is not Status.OK:
            verdict = failure(seen)
            return Verdict(verdict.outcome, None, f"input {place}: {verdict.detail}")
    return None


def _told(result: ProgramResult) -> Verdict | None:
    """What a checker said: None for right, else the verdict. A checker that fails fails the values it was given."""
    if result.load.status is not Status.OK:
        return Verdict(Outcome.WRONG, None, f"its values cannot be compared: {result.load.detail}")
    (seen,) = result.observations
    if seen.status is Status.OK:
        return None
    if seen.exception == "AssertionError":
        return Verdict(Outcome.WRONG, None, "another result than the expected one")
    return Verdict(Outcome.WRONG, None, f"its values cannot be compared: {seen.detail or seen.status}")
