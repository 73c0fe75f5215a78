"""Plain Python, as the measure of legitimate programs: `python plain.py < job` prints a description of each value.

The job is JSON, `[program, [expression, ...]]`. A description is a text that is equal for two values exactly when they
are equal with their types, apart from what the sandbox reduces on purpose: a subclass counts as its built-in base, a
numpy scalar as the number it is. It knows nothing of the sandbox's own encoding.
"""

import datetime
import json
import os
import sys
import types
from collections import deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

BASES = (bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, deque, Decimal, Fraction)


def describe(x: Any) -> str:
    """The text of one value."""
    if type(x).__module__ == "numpy":
        return f"array{x.shape}{describe(x.tolist())}" if hasattr(x, "__len__") else describe(x.item())
    base = next((base for base in BASES if isinstance(x, base)), None)
    name = base.__name__ if base else type(x).__name__
    if base in (tuple, list, deque):
        return f"{name}[{', '.join(map(describe, x))}]"
    if base in (set, frozenset):
        return f"{name}[{', '.join(sorted(map(describe, x)))}]"
    if base is dict:
        return f"{name}[{', '.join(sorted(f'{describe(key)}: {describe(value)}' for key, value in x.items()))}]"
    if base is str:
        return f"str {str.__str__(x)!a}"
    if base is int:
        return f"int {int(x)}"
    if base or x is None or isinstance(x, (range, datetime.date, datetime.time, datetime.timedelta)):
        return f"{name} {x!r}"
    raise TypeError(f"no description of a {name}")


def main() -> None:
    """Load the program as a module, evaluate each expression in a copy of its names, print the descriptions."""
    program, expressions = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module = types.ModuleType("program")
    sys.modules["program"] = module
    sys.set_int_max_str_digits(0)
    exec(compile(program, "<program>", "exec", dont_inherit=True), module.__dict__)
    values = [eval(expression, dict(module.__dict__)) for expression in expressions]
    sys.setrecursionlimit(10_000)
    json.dump([describe(value) for value in values], answers)
    answers.close()


if __name__ == "__main__":
    main()
