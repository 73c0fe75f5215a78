"""Keeping score when a person plays: pure functions over judged duels.

A round of *write the code* is won when the candidate passes every test that was played, lost when it fails one, and
open when no test was usable. A round of *write the tests* is won when the person's suite earns more (Paper §3.3, eq.
3-4) than most of the opponent's suites against the same program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from a1kit.types import Duel, JudgedTest, Load, Suite


@dataclass(frozen=True, slots=True)
class Score:
    """What one page has won so far."""

    rounds: int = 0
    won: int = 0
    streak: int = 0
    best: int = 0
    survived: int = 0
    """Tests that this person's programs have passed."""

    def after(self, won: bool | None, survived: int = 0) -> Score:
        """The score after one more round; an open round (None) counts for nothing."""
        if won is None:
            return self
        streak = self.streak + 1 if won else 0
        return Score(self.rounds + 1, self.won + won, streak, max(self.best, streak), self.survived + survived)

    def facts(self) -> list[tuple[str, str]]:
        """The score as tiles."""
        return [
            ("rounds won", f"{self.won} of {self.rounds}"),
            ("in a row", f"{self.streak} (best {self.best})"),
            ("tests survived", f"{self.survived}"),
        ]


def played(suites: Sequence[Suite]) -> list[JudgedTest]:
    """Every test that was played."""
    return [test for suite in suites for test in suite.kept]


def held(duel: Duel) -> bool | None:
    """Whether the candidate passed all that was played; None when nothing was."""
    if duel.load is not Load.OK:
        return False
    tests = played(duel.suites)
    return all(test.passed for test in tests) if tests else None


def attack_sentence(duel: Duel, golden: Duel | None) -> str:
    """How a round of writing the code ended, and what the question's own tests say about it."""
    if duel.load is not Load.OK:
        return f"Your program does not load: {duel.load.value}. {duel.load_detail}"
    tests = played(duel.suites)
    failed = sum(not test.passed for test in tests)
    if not tests:
        return "No test was usable, so nobody won. Let it attack again."
    start = f"{failed} of {len(tests)} tests broke your program." if failed else f"You held against {len(tests)} tests."
    if golden is None or not golden.history:
        return start
    missed = sum(not test.passed for test in golden.history)
    if not missed:
        return (
            f"{start} The question's own {len(golden.history)} tests agree that it is right."
            if not failed
            else (f"{start} The question's own {len(golden.history)} tests did not notice.")
        )
    if failed:
        return f"{start} It fails {missed} of the question's own {len(golden.history)} tests as well."
    return f"{start} But it fails {missed} of the question's own {len(golden.history)} tests: the tester missed that."


def beaten(mine: Suite, theirs: Sequence[Suite]) -> int:
    """How many of the opponent's suites earn less than mine."""
    return sum(mine.reward > suite.reward for suite in theirs)


def break_sentence(duel: Duel) -> str:
    """How a round of writing the tests stands; suite 1 is the person's, the others are the opponent's."""
    if duel.load is not Load.OK:
        return f"The program under attack does not load: {duel.load.value}. {duel.load_detail}"
    mine, *theirs = duel.suites
    failed = sum(not test.passed for test in mine.kept)
    start = (
        f"Your suite earns {mine.reward:.2f}: {len(mine.kept)} of {len(mine.tests)} tests were usable, "
        f"{failed} broke the program."
    )
    if not theirs:
        return start
    best = max(suite.reward for suite in theirs)
    return (
        f"{start} It beats {beaten(mine, theirs)} of {len(theirs)} suites of the opponent, whose best earns {best:.2f}."
    )


def broke(duel: Duel) -> bool | None:
    """Whether the person's suite beat most of the opponent's; None when the opponent wrote nothing."""
    if duel.load is not Load.OK or len(duel.suites) < 2:
        return None
    mine, *theirs = duel.suites
    return beaten(mine, theirs) * 2 > len(theirs)
