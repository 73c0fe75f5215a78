"""Mutants: exactly those that cosmic-ray lists, with its names and its text, and what is known before they run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from a1kit.errors import InputError, MissingDependency
from a1kit.mutants import Mutant, mutants, operators
from a1kit.problems import load

pytest.importorskip("cosmic_ray", reason="mutants are made by the package cosmic-ray (extra `eval`)")

ODD = '''
import functools

@functools.cache
@staticmethod
def f(xs: list[int] | None, *rest, n=-3, **names):
    """A docstring with 1 + 1 in it."""
    total, first, *others = 0, *xs
    for i, x in enumerate(xs):
        if not x or x is None:
            continue
        while x >= 1 and n != 0x10:
            x //= 2
            if x == 1 or x is not xs:
                break
        else:
            total += ~x ** 2 @ 1.5e3
    try:
        return True if xs[-1] < +total <= 9 else {**names, "a": f"{n:>{total}}"}
    except (ValueError, KeyError) as error:
        raise
    except TypeError:
        assert isinstance(xs, list), 1j
    return lambda y=0: y & 1 | 2 ^ 3 << 1
'''


def listed(path: Path) -> list[tuple[str, int, tuple[int, int], tuple[int, int]]]:
    """What `cosmic-ray init` puts into its work list for a module."""
    from cosmic_ray.commands.init import init
    from cosmic_ray.work_db import WorkDB, use_db

    with use_db(str(path.with_suffix(".sqlite")), WorkDB.Mode.create) as database:
        init([path], database, {})
        found = [item.mutations[0] for item in database.work_items]
    return [(one.operator_name, one.occurrence, tuple(one.start_pos), tuple(one.end_pos)) for one in found]


def program(name: str) -> str:
    return ODD if name == "odd" else load("classic")[f"classic/{name}"].reference


@pytest.mark.parametrize("name", ["odd", "three_sum"])
def test_the_mutants_are_exactly_those_that_cosmic_ray_lists(name: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(program(name))
    made = [(one.operator, one.occurrence, one.start, one.end) for one in mutants(program(name))]
    assert sorted(made) == sorted(listed(path))
    assert len(made) == len(set(made)) > 100


@pytest.mark.parametrize("name", ["odd", "three_sum"])
def test_each_mutant_is_the_text_that_cosmic_ray_would_write(name: str, tmp_path: Path) -> None:
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.plugins import get_operator

    path = tmp_path / "module.py"
    path.write_text(program(name))
    for one in mutants(program(name))[::7]:
        with use_mutation(path, get_operator(one.operator)(), one.occurrence) as (_, changed):
            assert one.source == changed == path.read_text()


def test_the_same_program_gives_the_same_mutants_again() -> None:
    assert mutants(ODD) == mutants(ODD)


def test_every_operator_of_cosmic_ray_that_needs_no_argument_is_applied() -> None:
    from cosmic_ray.plugins import get_operator, operator_names

    assert set(operators()) == {
        name for name in operator_names() if name.startswith("core/") and not get_operator(name).arguments()
    }


def by(source: str, operator: str) -> list[Mutant]:
    return [one for one in mutants(source) if one.operator == f"core/{operator}"]


def test_a_mutant_that_does_not_compile_says_why() -> None:
    (broken,) = by("def f(x):\n    for y in x:\n        break\n    else:\n        return 1\n", "ZeroIterationForLoop")
    assert not broken.fault
    (bad, _) = by("def f(xs):\n    return f(a=1)\n", "NumberReplacer")
    assert not bad.fault
    faults = [one.fault for one in by("def f(*, a): return a\n", "ReplaceBinaryOperator_Mul_Add")]
    assert len(faults) == 1 and "syntax" in faults[0]


def test_a_change_that_the_compiler_folds_away_is_known_to_be_equivalent() -> None:
    (folded,) = by("def f(x):\n    return x + 2 * 2\n", "ReplaceBinaryOperator_Mul_Pow")
    assert folded.same
    (other,) = by("def f(x):\n    return x + 2 * 3\n", "ReplaceBinaryOperator_Mul_Pow")
    assert not other.same


def test_equal_numbers_of_other_types_are_not_the_same_code() -> None:
    (floated,) = by("def f(x):\n    return x + 4 // 2\n", "ReplaceBinaryOperator_FloorDiv_Div")
    assert not floated.same


def test_a_program_that_does_not_compile_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match=r"does not compile: .*line 1"):
        mutants("def f(:")


def test_without_cosmic_ray_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from a1kit.mutants import _cosmic_ray

    monkeypatch.setitem(sys.modules, "cosmic_ray.ast", None)
    _cosmic_ray.cache_clear()
    try:
        with pytest.raises(MissingDependency, match=r"pip install .a1kit\[eval\]"):
            mutants("def f(): return 1")
    finally:
        _cosmic_ray.cache_clear()
