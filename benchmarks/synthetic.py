"""Steps and runs without models: duels whose texts and verdicts come from a seed, for load tests of the store and the
viewer.

A run of 2,000 steps over 256 questions, each step asking 8 of them with 8 candidates × 8 suites = 64 suites a question
of 5 tests, has 5 million tests. Everything goes through the run's own writers, so it is a run like any other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from a1kit.presets import preset
from a1kit.store.book import Book
from a1kit.store.run_log import RunLog
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

PHASES = ("write", "attack", "recall", "judge", "score", "remember", "learn_code", "learn_tests")
METRICS = (
    "code/reward", "code/loads", "code/pass_new", "code/pass_hist", "code/length", "code/finished", "code/flat_groups",
    "code/spread", "code/loss", "code/grad_norm", "code/kl", "code/entropy", "tests/reward", "tests/validity",
    "tests/adversity", "tests/kill_rate", "tests/valid", "tests/corrected", "tests/dropped", "tests/written",
    "tests/length", "tests/finished", "tests/flat_groups", "tests/spread", "tests/loss", "tests/grad_norm", "tests/kl",
    "tests/entropy", "topvar/sigma", "topvar/sigma_all", "book/recalled", "seconds",
)  # fmt: skip

Recall = Callable[[str, int], tuple[str, ...]]


def synthetic_step(
    step: int,
    *,
    questions: int = 4,
    candidates: int = 4,
    suites: int = 3,
    tests: int = 4,
    pool: int = 96,
    calls: int = 100,
    seed: int = 0,
    history: Recall | None = None,
) -> StepRecord:
    """One step over `questions` of a pool, with everything a real one has; `history` recalls from a book.

    calls   how many different arguments the tests of a question have
    """
    source = random.Random(f"{seed}/{step}")
    duels = []
    for number in sorted(source.sample(range(pool), questions)):
        question = _question(number)
        recalled = history(question.id, 8) if history else ()
        duels += [
            _duel(source, question, candidate, (suites, tests, calls), recalled) for candidate in range(candidates)
        ]
    chosen = tuple(range(0, len(duels), max(1, candidates)))
    metrics = {name: source.random() for name in METRICS}
    return StepRecord(step, tuple(duels), chosen, metrics, {phase: source.random() for phase in PHASES})


def write_run(folder: Path, steps: int, *, seed: int = 0, calls: int = 400) -> int:
    """Write a run of `steps` steps as described above into `folder`; the number of its generated tests."""
    config = preset("micro").to_dict()
    with RunLog.create(folder, {**config, "seed": seed, "game": {**config["game"], "tests": 5}}) as log:
        book = Book()
        count = 0
        for step in range(1, steps + 1):
            record = synthetic_step(
                step, questions=8, candidates=8, suites=8, tests=5, pool=256, calls=calls, seed=seed,
                history=book.recall,
            )  # fmt: skip
            changes = book.record(step, record.duels)
            metrics = {"book/added": changes.added, "book/removed": changes.removed, "book/size": changes.size}
            log.write_step(replace(record, metrics={**record.metrics, **metrics}), changes.events)
            count += sum(len(suite.tests) for duel in record.duels for suite in duel.suites)
        log.write_status(state="finished", step=steps, steps=steps)
    return count


def _question(number: int) -> Question:
    name = f"f{number}"
    return Question(
        f"synthetic/{number:04d}", f"Return x plus {number}.", name, f"def {name}(x):\n    return x + {number}\n"
    )


def _duel(
    source: random.Random, question: Question, candidate: int, sizes: tuple[int, int, int], recalled: tuple[str, ...]
) -> Duel:
    suites, tests, calls = sizes
    loads = source.random() > 0.05
    code = f"def {question.entry_point}(x):\n    return x + {source.randrange(9)}  # {candidate}\n"
    fights = tuple(_suite(source, question.entry_point, (tests, calls), loads) for _ in range(suites))
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


def _suite(source: random.Random, entry_point: str, sizes: tuple[int, int], loads: bool) -> Suite:
    tests, calls = sizes
    written = []
    for _ in range(tests):
        argument = source.randrange(-(calls // 2), (calls + 1) // 2)
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
