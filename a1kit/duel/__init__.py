"""Duels: one candidate with everything that attacked it, judged.

    with LocalSandbox() as sandbox:
        judge = Judge(sandbox, Rules(k=4))
        (duel,) = judge.judge([Pairing(question, candidate, suites, history)])
        duel.reward, duel.suites[0].tests[0].verdict

Values come out of the sandbox, verdicts are made here: no program ever learns what was expected of it, and nothing that
a model wrote is evaluated in this process. `judge` does the same for plain JSON records (`a1kit judge`).
"""

from a1kit.duel.docket import Pairing
from a1kit.duel.judging import Judge, passes_all, score, suite_counts
from a1kit.duel.programs import CheckedProgram, run_checks, validate_question, validate_questions
from a1kit.duel.records import judge

__all__ = [
    "CheckedProgram",
    "Judge",
    "Pairing",
    "judge",
    "passes_all",
    "run_checks",
    "score",
    "suite_counts",
    "validate_question",
    "validate_questions",
]
