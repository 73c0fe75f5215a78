"""How good the two models are, and how far that can be trusted.

    measures     avg@n, pass@k, suites against wrong programs, bootstrap intervals
    sealed       a test program as inputs for the candidate and results that stay away from it
    examiner     programs in, verdicts out: sealed where it can be done, with the benchmark's own program where not
    modes        what a model is asked, and how the program is found in what it writes
    benchmarks   the question sets by name
    scoring      a whole evaluation: resumable, streaming, refusing when the references fail
    rounds       test generation, one test a round: pass@k, mut@k, Mul
    mutation     which mutants tests kill; how many are equivalent
    probes       other inputs of the same shape
    best_of      test-time scaling: candidates x suites, who wins, the curve over n

Importing this package imports the measures only; the rest costs nothing until it is asked for.
"""

from a1kit.evaluation.measures import (
    CodeReport,
    Estimate,
    SuiteReport,
    Target,
    difference,
    estimate,
    evaluate_code,
    evaluate_tests,
    pass_at_k,
)

__all__ = [
    "CodeReport",
    "Estimate",
    "SuiteReport",
    "Target",
    "difference",
    "estimate",
    "evaluate_code",
    "evaluate_tests",
    "pass_at_k",
]
