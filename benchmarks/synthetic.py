"""Steps without models: duels whose texts and verdicts come from a seed, for load tests of the store and the viewer."""

from __future__ import annotations

import random
from collections.abc import Callable

from a1kit.types import (
    Completion,
    Duel,
    Form,
    JudgedTest,
    Load,
    Outcome,
    Question,
    State,
    StepRecord,
    Suite,
    TestCase,
    Verdict,
)

Recall = Callable[[str, int], tuple[str, ...]]


def synthetic_step(
    step: int,
    *,
    questions: int = 4,
    candidates: int = 4,
    suites: int = 3,
    tests: int = 4,
    pool: int = 96,
    seed: int = 0,
    history: Recall | None = None,
) -> StepRecord:
    """One step over `questions` of a pool, with everything a real one has; `history` recalls from a book."""
    source = random.Random(f"{seed}/{step}")
    duels = []
    for number in sorted(source.sample(range(pool), questions)):
        question = _question(number)
        recalled = history(question.id, 8) if history else ()
        duels += [_duel(source, question, candidate, suites, tests, recalled) for candidate in range(candidates)]
    metrics = {"code/reward": source.random(), "tests/reward": source.random()}
    return StepRecord(step, tuple(duels), (0,), metrics, {"write": source.random(), "judge": source.random()})


def _question(number: int) -> Question:
    name = f"f{number}"
    return Question(
        f"synthetic/{number:04d}", f"Return x plus {number}.", name, f"def {name}(x):\n    return x + {number}\n"
    )


def _duel(
    source: random.Random, question: Question, candidate: int, suites: int, tests: int, recalled: tuple[str, ...]
) -> Duel:
    loads = source.random() > 0.05
    code = f"def {question.entry_point}(x):\n    return x + {source.randrange(9)}  # {candidate}\n"
    fights = tuple(_suite(source, question.entry_point, tests, loads) for _ in range(suites))
    replay = tuple(_judged(source, text, State.VALID, loads) for text in recalled)
    passed = [test.passed for test in replay]
    return Duel(
        question,
        Completion(code),
        code,
        Load.OK if loads else Load.SYNTAX,
        "" if loads else "SyntaxError: invalid syntax (line 1)",
        fights,
        replay,
        sum(passed) / len(passed) if passed else None,
        source.random() if loads else 0.0,
        ("prelude",) if source.random() < 0.1 else (),
    )


def _suite(source: random.Random, entry_point: str, tests: int, loads: bool) -> Suite:
    written = []
    for _ in range(tests):
        argument = source.randrange(-50, 50)
        state = source.choices([State.VALID, State.CORRECTED, State.RAISED, State.REPEATED], [8, 2, 1, 1])[0]
        written.append(_judged(source, f"assert {entry_point}({argument}) == {argument + 1}", state, loads))
    return Suite(
        Completion("\n".join(test.source for test in written)),
        tuple(written),
        source.random(),
        source.random(),
        source.random(),
    )


def _judged(source: random.Random, text: str, state: State, loads: bool) -> JudgedTest:
    call, _, answer = text.removeprefix("assert ").partition(" == ")
    case = TestCase(text, call, Form.EQUAL)
    if not state.kept:
        return JudgedTest(case, state, text, answer, detail="the reference raised ValueError")
    outcome = source.choice([Outcome.PASSED, Outcome.WRONG, Outcome.RAISED]) if loads else Outcome.CRASHED
    verdict = Verdict(outcome, str(source.randrange(99)), "" if outcome is Outcome.PASSED else "got another value")
    return JudgedTest(case, state, text, answer, answer, verdict)
