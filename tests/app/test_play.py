"""Playing: limits, score, opponents, the processes beside the server, and the attack corpus live."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from a1kit.errors import InfrastructureError, InputError
from a1kit.types import Completion, Duel, JudgedTest, Load, Outcome, Question, State, Suite, TestCase, Verdict

pytest.importorskip("gradio", reason="needs the extra `app`")

from a1kit_app import game, render_play
from a1kit_app.opponents import RECORDED, Corner, Opponent, opponent, opponents, recorded_tests
from a1kit_app.runs import Shelf
from a1kit_app.side_process import SideProcess
from a1kit_app.starting import Starter, demo_run
from a1kit_app.turnstile import Busy, Turnstile

QUESTION = Question("q", "one", "f", "def f(): return 1", ("assert f() == 1",))


def judged(outcome: Outcome, state: State = State.VALID) -> JudgedTest:
    return JudgedTest(TestCase("assert f() == 1", "f()"), state, "assert f() == 1", "1", "1", Verdict(outcome, "1"))


def duel(*suites: tuple[float, tuple[Outcome, ...]], load: Load = Load.OK) -> Duel:
    made = tuple(
        Suite(Completion(""), tuple(judged(one) for one in outcomes), 1.0, 0.0, reward) for reward, outcomes in suites
    )
    return Duel(QUESTION, Completion("x"), "x", load, "", made)


PASSED, WRONG = Outcome.PASSED, Outcome.WRONG


# -- score -------------------------------------------------------------------------------------------------------------


def test_a_candidate_holds_when_it_passes_all_that_was_played() -> None:
    assert game.held(duel((0.5, (PASSED, PASSED)))) is True
    assert game.held(duel((0.5, (PASSED, WRONG)))) is False
    assert game.held(duel((0.5, ()))) is None
    assert game.held(duel(load=Load.SYNTAX)) is False


def test_an_open_round_changes_no_score_and_a_lost_one_ends_the_streak() -> None:
    score = game.Score().after(True, 8).after(True, 4)
    assert score.after(None, 100) == score
    lost = score.after(False, 1)
    assert (lost.rounds, lost.won, lost.streak, lost.best, lost.survived) == (3, 2, 0, 2, 13)


def test_the_tester_that_missed_a_fault_is_told_apart_from_a_right_program() -> None:
    right = Duel(QUESTION, Completion("x"), "x", Load.OK, history=(judged(PASSED),))
    wrong = Duel(QUESTION, Completion("x"), "x", Load.OK, history=(judged(PASSED), judged(WRONG)))
    held = duel((0.5, (PASSED,)))
    assert "agree that it is right" in game.attack_sentence(held, right)
    assert "the tester missed that" in game.attack_sentence(held, wrong)
    assert "fails 1 of the question's own 2" in game.attack_sentence(duel((0.5, (WRONG,))), wrong)


def test_a_suite_wins_when_it_earns_more_than_most_of_the_opponents() -> None:
    mine = (0.6, (WRONG,))
    assert game.broke(duel(mine, (0.5, ()), (0.5, ()), (0.9, ()))) is True
    assert game.broke(duel(mine, (0.6, ()), (0.5, ()))) is False
    assert game.broke(duel(mine)) is None
    assert "beats 2 of 3 suites" in game.break_sentence(duel(mine, (0.5, ()), (0.5, ()), (0.9, ())))


# -- limits ------------------------------------------------------------------------------------------------------------


def test_a_client_waits_until_what_it_asked_before_is_done() -> None:
    turnstile = Turnstile(at_once=1, a_minute=10)
    with turnstile.through("a"):
        with pytest.raises(Busy, match="still going on"):
            with turnstile.through("a"):
                pass
        with turnstile.through("b"):
            pass
    with turnstile.through("a"):
        pass


def test_a_client_may_come_so_often_a_minute_and_is_told_when_to_go_on() -> None:
    now = 100.0
    turnstile = Turnstile(at_once=1, a_minute=2, clock=lambda: now)
    for _ in range(2):
        with turnstile.through("a"):
            pass
    now = 130.0
    with pytest.raises(Busy, match="go on in 30 s"):
        with turnstile.through("a"):
            pass
    now = 160.0
    with turnstile.through("a"):
        pass


def test_who_has_gone_is_forgotten() -> None:
    now = 0.0
    turnstile = Turnstile(at_once=1, a_minute=2, clock=lambda: now)
    for number in range(100):
        with turnstile.through(str(number)):
            pass
    now = 61.0
    with turnstile.through("last"):
        pass
    assert set(turnstile._came) == {"last"} and not turnstile._inside


# -- processes beside the server ---------------------------------------------------------------------------------------

ECHO = """
import sys, time
from a1kit.errors import InputError
from a1kit_app.side_process import serve

def answer(request):
    print("noise on standard output")
    if request.get("bad"):
        raise InputError("that is bad")
    if request.get("die"):
        raise SystemExit("gone")
    for number in range(request["count"]):
        time.sleep(request.get("pause", 0))
        yield {"number": number}

if __name__ == "__main__":
    serve(answer)
"""


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "a1kit_echo.py").write_text(ECHO)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    return "a1kit_echo"


def test_answers_come_in_order_and_the_process_is_kept(echo: str) -> None:
    process = SideProcess(echo)
    assert not process.running
    assert list(process.ask({"count": 3}, seconds=60)) == [{"number": n} for n in range(3)]
    first = process._process
    assert list(process.ask({"count": 1}, seconds=60)) == [{"number": 0}]
    assert process._process is first and process.running
    process.close()
    process.close()
    assert not process.running


def test_a_refusal_is_the_persons_error_and_a_death_is_the_machinerys(echo: str) -> None:
    process = SideProcess(echo)
    with pytest.raises(InputError, match="that is bad"):
        list(process.ask({"bad": True}, seconds=60))
    with pytest.raises(InfrastructureError, match="gone"):
        list(process.ask({"die": True}, seconds=60))
    assert list(process.ask({"count": 1}, seconds=60)) == [{"number": 0}]
    process.close()


def test_a_late_answer_is_given_up_and_the_process_with_it(echo: str) -> None:
    process = SideProcess(echo)
    list(process.ask({"count": 1}, seconds=60))
    with pytest.raises(InfrastructureError, match=r"within 0\.2 s"):
        list(process.ask({"count": 1, "pause": 30}, seconds=0.2))
    assert not process.running


def test_whoever_leaves_early_ends_the_process(echo: str) -> None:
    process = SideProcess(echo)
    for _ in process.ask({"count": 100, "pause": 0.05}, seconds=60):
        break
    assert not process.running


def test_a_process_that_nobody_asks_ends(echo: str) -> None:
    process = SideProcess(echo, idle_seconds=0.2)
    list(process.ask({"count": 1}, seconds=60))
    for _ in range(100):
        if not process.running:
            break
        time.sleep(0.1)
    assert not process.running


def test_a_process_that_was_killed_is_started_again(echo: str) -> None:
    process = SideProcess(echo)
    list(process.ask({"count": 1}, seconds=60))
    assert process._process is not None
    os.kill(process._process.pid, signal.SIGKILL)
    process._process.wait()
    assert list(process.ask({"count": 1}, seconds=60)) == [{"number": 0}]
    process.close()


# -- opponents ---------------------------------------------------------------------------------------------------------


def test_recorded_tests_come_from_the_question_and_from_the_books_of_runs(tmp_path: Path) -> None:
    shutil.copytree(demo_run(), tmp_path / "demo")
    shelf = Shelf(tmp_path)
    asked = shelf.step("demo", 6).record.duels[0].question
    bare = Question(asked.id, asked.prompt, asked.entry_point, asked.reference)
    from_book = recorded_tests(shelf, bare)
    assert from_book and all(test.startswith("assert f(") for test in from_book)
    assert recorded_tests(shelf, Question("x", "", "f", "", ("assert f() == 1",))) == ["assert f() == 1"]


def test_recorded_tests_are_dealt_in_suites_by_seed(tmp_path: Path) -> None:
    corner = Corner(Shelf(tmp_path))
    asked = Question("x", "", "f", "", tuple(f"assert f({n}) == {n}" for n in range(10)))
    scripted = opponent(Shelf(tmp_path), RECORDED)
    suites = list(corner.suites(scripted, asked, "", k=4, count=8, seed=1))
    assert [len(suite.splitlines()) for suite in suites] == [4, 4, 2]
    assert sorted("\n".join(suites).splitlines()) == sorted(asked.golden)
    assert suites == list(corner.suites(scripted, asked, "", k=4, count=8, seed=1))
    with pytest.raises(InputError, match="no test of this question"):
        list(corner.suites(scripted, Question("y", "", "f", ""), "", k=4, count=1, seed=1))


def test_a_saved_tester_is_offered_and_an_adapter_is_not(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    run = tmp_path / "demo"
    shutil.copytree(demo_run(), run)
    model = run / "checkpoints" / "000006" / "tests" / "model"
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    found = {one.key: one for one in opponents(Shelf(tmp_path))}
    assert found["demo@6"].model == str(model)
    config = run / "config.yaml"
    config.write_text(config.read_text().replace("lora_rank: 0", "lora_rank: 8"))
    assert "demo@6" not in {one.key for one in opponents(Shelf(tmp_path))}
    with pytest.raises(InputError, match="not there any more"):
        opponent(Shelf(tmp_path), "demo@6")


@pytest.mark.train
def test_the_shipped_test_model_writes_suites_in_a_process_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from a1kit.problems import load

    asked = load("micro").questions[0]
    corner = Corner(Shelf(tmp_path))
    shipped = Opponent("micro-test", "", "micro-test")
    suites = list(corner.suites(shipped, asked, asked.reference, k=4, count=2, seed=1))
    corner.close()
    assert len(suites) == 2 and all("assert f(" in suite for suite in suites)


def test_the_inspector_itself_imports_no_torch() -> None:
    script = (
        "import a1kit_app.main, sys; print([name for name in ('torch', 'transformers', 'trl') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr


# -- attacks -----------------------------------------------------------------------------------------------------------


def test_an_attack_fools_the_naive_judge_and_not_ours() -> None:
    arena = SideProcess("a1kit_app.arena")
    names = ["prints_pass_markers", "equals_everything", "kills_the_host", "writes_a_file"]
    rows = {row["name"]: row for row in arena.ask({"names": names, "judge": "markers"}, seconds=60)}
    arena.close()
    assert list(rows) == names
    assert rows["prints_pass_markers"]["naive"] == rows["equals_everything"]["naive"] == "false PASS"
    assert rows["kills_the_host"]["naive"] is None and rows["writes_a_file"]["naive"] is None
    assert {row["ours"] for row in rows.values()} <= {"contained", "not run"}
    assert rows["prints_pass_markers"]["ours"] == "contained"


def test_the_arena_takes_no_name_that_is_not_in_the_corpus() -> None:
    arena = SideProcess("a1kit_app.arena")
    with pytest.raises(InputError, match="no attack"):
        list(arena.ask({"names": ["../../etc/passwd"], "judge": "markers"}, seconds=60))
    arena.close()


def test_the_naive_judge_gets_attacks_on_integrity_only() -> None:
    from a1kit.sandbox.corpus import Kind, hostile
    from a1kit.sandbox.naive import attack_of

    allowed = [program for program in hostile() if attack_of(program, program.source)]
    assert {program.kind for program in allowed} == {Kind.INTEGRITY}
    assert not any(program.dangerous for program in allowed)


def test_a_row_of_the_attack_table_shows_what_a_program_said_as_text() -> None:
    from a1kit.sandbox.corpus import hostile

    program = hostile()[0]
    row = {"name": program.name, "naive": "false PASS", "ours": "contained", "story": "<script>alert(1)</script>"}
    markup = render_play.attack_table([program], {program.name: row})
    assert "<script>" not in markup and "&lt;script&gt;" in markup


# -- the start page ----------------------------------------------------------------------------------------------------


def test_one_training_at_a_time_is_started_and_a_failure_is_told(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    starter = Starter(tmp_path / "runs", ("--set", "train.steps=0"))
    assert starter.failure() is None
    folder = starter.start()
    assert folder == tmp_path / "runs" / "micro-0"
    with pytest.raises(InputError, match="still going on"):
        starter.start()
    for _ in range(600):
        if starter.failure():
            break
        time.sleep(0.1)
    assert "train.steps" in (starter.failure() or "")
    assert not folder.exists()
