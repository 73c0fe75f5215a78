"""Trees are built by several threads at once while Python's collector runs code of its own."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from a1kit.parsing import parse_code, parse_tests
from a1kit.parsing.source import expression_tree, module_tree

PROGRAM = "def f(xs):\n" + "".join(f"    if xs == [{n}, {n + 1}, -{n}]:\n        return ({n}, xs)\n" for n in range(40))


@pytest.fixture
def busy_collector() -> Iterator[None]:
    """The collector runs all the time and gives way to another thread whenever it does."""
    usual = gc.get_threshold()

    def give_way(phase: str, info: dict[str, int]) -> None:
        time.sleep(1e-5)

    gc.callbacks.append(give_way)
    gc.set_threshold(200, 5, 5)
    try:
        yield
    finally:
        gc.callbacks.remove(give_way)
        gc.set_threshold(*usual)


def test_threads_that_parse_at_once_all_get_their_trees(busy_collector: None) -> None:
    def work(number: int) -> tuple[int, int, str, int]:
        code = f"{PROGRAM}    return {number}\n"
        parsed = parse_code(f"```python\n{code}```", "f")
        tests = parse_tests("\n".join(f"assert f([{n}, {number}]) == {n}" for n in range(10)), "f")
        return len(module_tree(code).body), len(tests), parsed.code or "", len(ast_names(number))

    def ast_names(number: int) -> list[object]:
        return list(getattr(expression_tree(f"[{number}, -1, f(2)]"), "elts", []))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(60)))
    assert [row[:2] + row[3:] for row in found] == [(1, 10, 3)] * 60
    assert [row[2].strip().endswith(f"return {number}") for number, row in enumerate(found)] == [True] * 60
