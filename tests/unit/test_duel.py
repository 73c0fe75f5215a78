"""The judge's bookkeeping, on a fake sandbox: what is run, how often, with which limits, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from a1kit.duel import Judge, Pairing, passes_all, score
from a1kit.errors import ConfigError, QuestionError, SandboxUnavailable
from a1kit.rewards import Convention, Rules
from a1kit.sandbox import Call, FakeSandbox, Job, Observation, Status, value_of
from a1kit.types import Completion, Duel, Load, Outcome, Question, State

SQUARE = "def f(x):\n    return x * x\n"
FOUR = "def f(x): return 4\n"
DOUBLE = "def f(x):\n    return x + x\n"


def question(reference: str = SQUARE, golden: tuple[str, ...] = ()) -> Question:
    return Question("q", "Square a number.", "f", reference, golden)


def pairing(candidate: str, *suites: str, history: tuple[str, ...] = (), reference: str = SQUARE) -> Pairing:
    return Pairing(question(reference), Completion(candidate), tuple(map(Completion, suites)), history)


def play(*pairings: Pairing, rules: Rules = Rules(k=4)) -> list[Duel]:
    return Judge(FakeSandbox(), rules).play(pairings)


def states(duel: Duel, suite: int = 0) -> list[State]:
    return [test.state for test in duel.suites[suite].tests]


def ok(value: object, cpu: float = 0.0) -> Observation:
    return Observation(Status.OK, value_of(value), cpu_seconds=cpu)


def calls_of(sandbox: FakeSandbox, program: str) -> list[str]:
    return [call.expression for job in sandbox.jobs if job.program == program for call in job.calls]


# ── validation ──


def test_states_are_given_in_the_order_malformed_extra_repeated_then_the_reference() -> None:
    suite = "assert g(1) == 1\nassert f(2) == 4\nassert f(2) == 5\nassert f(None) == 1\nassert f(3) == 1\nassert h(1)"
    (release,) = play(pairing(SQUARE, suite), rules=Rules(k=3))
    assert states(release) == [
        State.MALFORMED, State.VALID, State.REPEATED, State.RAISED, State.CORRECTED, State.MALFORMED,
    ]  # fmt: skip
    (paper,) = play(pairing(SQUARE, suite), rules=Rules(k=3, convention=Convention.PAPER))
    assert states(paper) == [
        State.MALFORMED, State.VALID, State.REPEATED, State.EXTRA, State.EXTRA, State.MALFORMED,
    ]  # fmt: skip


def test_the_corrected_source_is_what_is_remembered() -> None:
    (duel,) = play(pairing(DOUBLE, "assert f(3) == 6"))
    (test,) = duel.suites[0].tests
    assert (test.state, test.source) == (State.CORRECTED, "assert f(3) == 9")
    assert (test.predicted, test.oracle) == ("6", "9")
    assert test.verdict is not None and (test.verdict.outcome, test.verdict.got) == (Outcome.WRONG, "6")


def test_a_test_that_fails_in_one_suite_is_judged_apart_from_the_same_test_in_another() -> None:
    (duel,) = play(pairing(DOUBLE, "assert f(3) == 9", "assert f(3) == 6", "assert f(3) == 9\nassert f(0) == 0"))
    assert [states(duel, suite) for suite in range(3)] == [[State.VALID], [State.CORRECTED], [State.VALID] * 2]
    assert all(not duel.suites[suite].tests[0].passed for suite in range(3))


def scripted(oracle: Callable[[Job, Call], Observation]) -> FakeSandbox:
    """A sandbox in which the reference does what the script says and every other program answers 4."""
    return FakeSandbox(lambda job, call: oracle(job, call) if "x * x" in job.program else ok(4))


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (Status.RAISED, State.RAISED),
        (Status.CRASHED, State.RAISED),
        (Status.MEMORY, State.RAISED),
        (Status.REFUSED, State.RAISED),
        (Status.TIMEOUT, State.TIMEOUT),
        (Status.UNSUPPORTED, State.UNSUPPORTED),
    ],
)
def test_a_test_the_reference_cannot_answer_is_dropped(status: Status, state: State) -> None:
    sandbox = scripted(lambda job, call: Observation(status, detail="no"))
    (duel,) = Judge(sandbox).play([pairing(FOUR, "assert f(2) == 4")])
    (test,) = duel.suites[0].tests
    assert (test.state, test.verdict) == (state, None) and "no" in test.detail


def test_a_reference_that_disagrees_with_itself_under_another_hash_seed_is_unstable() -> None:
    sandbox = scripted(lambda job, call: ok(4 + job.hash_seed))
    (duel,) = Judge(sandbox).play([pairing(FOUR, "assert f(2) == 4")])
    assert states(duel) == [State.UNSTABLE]


def test_the_second_run_of_the_reference_has_the_calls_in_reverse_order() -> None:
    sandbox = FakeSandbox()
    Judge(sandbox).play([pairing(DOUBLE, "assert f(1) == 1\nassert f(2) == 4\nassert f(3) == 9")])
    asked = [[call.expression for call in job.calls] for job in sandbox.jobs if job.program == SQUARE]
    assert asked == [["f(1)", "f(2)", "f(3)"], ["f(3)", "f(2)", "f(1)"]]
    assert {job.hash_seed for job in sandbox.jobs if job.program == SQUARE} == {0, 1}


def test_the_candidate_is_sent_calls_and_never_an_answer() -> None:
    sandbox = FakeSandbox()
    suite = "assert f(7) == 4949\nassert f(11) == 121\nassert abs(f(3) - 9.0625) < 1\nassert f(5) in [25, 77777]"
    Judge(sandbox).play([pairing(DOUBLE, suite, history=("assert f(12) == 144",))])
    sent = [job for job in sandbox.jobs if job.program == DOUBLE]
    assert sent and all(not job.values for job in sent)
    text = " ".join(call.expression + call.setup for job in sent for call in job.calls)
    assert not any(answer in text for answer in ("4949", "49", "121", "9.0625", "25", "77777", "144"))


def test_conditions_of_different_suites_never_share_a_child() -> None:
    sandbox = FakeSandbox()
    suites = ("assert f(2) > 3\nassert f(3) > 3", "assert f(2) > 3", "assert f(4) > 3")
    Judge(sandbox).play([pairing(DOUBLE, *suites)])
    neutral = [len(job.calls) for job in sandbox.jobs if job.values]
    # three suites with two seeds each on the reference, and on the candidate where its values differ: f(3) and f(4)
    assert sorted(neutral) == sorted([4, 4, 2, 2, 2, 2, 1, 1])


# ── play ──


def test_a_candidate_that_does_not_load_plays_nothing_and_its_tests_are_still_validated() -> None:
    (duel,) = play(pairing("def f(x):\n    return x\n1 / 0", "assert f(2) == 4", history=("assert f(3) == 9",)))
    assert (duel.load, duel.pass_hist) == (Load.RAISED, 0.0) and "ZeroDivisionError" in duel.load_detail
    assert states(duel) == [State.VALID]
    assert [test.verdict for test in (*duel.suites[0].tests, *duel.history)] == [None, None]
    scored = score(duel, Rules(k=1))
    assert (scored.reward, scored.suites[0].reward) == (0.0, 0.0)


def test_text_without_code_is_a_missing_program_and_runs_nothing() -> None:
    sandbox = FakeSandbox()
    (duel,) = Judge(sandbox).play([pairing("I cannot do that.", "assert f(2) == 4")])
    assert duel.load is Load.MISSING and duel.load_detail
    assert {job.program for job in sandbox.jobs} == {SQUARE}


def test_identical_programs_suites_and_calls_are_run_once() -> None:
    sandbox = FakeSandbox()
    fenced = f"```python\n{DOUBLE}```"
    Judge(sandbox).play([pairing(fenced, "assert f(2) == 4"), pairing(fenced, "assert f(2) == 4\nassert f(1) == 1")])
    candidate = next(job.program for job in sandbox.jobs if "x + x" in job.program)
    assert calls_of(sandbox, candidate) == ["f(2)", "f(1)"]


def test_a_second_batch_asks_only_what_is_new() -> None:
    sandbox = FakeSandbox()
    judge = Judge(sandbox)
    first = judge.play([pairing(DOUBLE, "assert f(2) == 4\nassert f(3) == 9")])
    asked = len(sandbox.jobs)
    assert judge.play([pairing(DOUBLE, "assert f(2) == 4\nassert f(3) == 9")]) == first
    assert len(sandbox.jobs) == asked
    judge.play([pairing(DOUBLE, "assert f(2) == 4\nassert f(5) == 25")])
    assert [call.expression for job in sandbox.jobs[asked:] for call in job.calls] == ["f(5)"] * 3


def test_a_timeout_is_asked_again_in_the_next_batch() -> None:
    slow = Observation(Status.TIMEOUT, detail="more than 1 s")
    sandbox = scripted(lambda job, call: slow)
    judge = Judge(sandbox)
    for _ in range(2):
        (duel,) = judge.play([pairing(FOUR, "assert f(2) == 4")])
        assert states(duel) == [State.TIMEOUT]
    assert len(calls_of(sandbox, SQUARE)) == 2


def test_answers_learnt_under_one_time_limit_do_not_serve_another() -> None:
    sandbox = FakeSandbox()
    judge = Judge(sandbox)
    judge.play([pairing(DOUBLE, "assert f(2) == 4")])
    judge.under(Rules(), call_seconds=0.5).play([pairing(DOUBLE, "assert f(2) == 4")])
    assert calls_of(sandbox, SQUARE) == ["f(2)"] * 4


def test_a_candidate_gets_three_times_what_the_reference_needed() -> None:
    sandbox = FakeSandbox(lambda job, call: ok(4, cpu=0.9))
    Judge(sandbox, call_seconds=1.0).play([pairing(FOUR, "assert f(2) == 4")])
    limits = {job.program: job.limits.call_seconds for job in sandbox.jobs}
    assert limits[SQUARE] == pytest.approx(2.7)  # the reference's second run
    assert limits[FOUR] == pytest.approx(2.7)
    assert sandbox.jobs[0].limits.call_seconds == 1.0


def test_the_total_time_of_a_candidate_grows_with_the_references() -> None:
    sandbox = FakeSandbox(lambda job, call: ok(4, cpu=0.9))
    suite = "\n".join(f"assert f({n}) == 4" for n in range(50))
    Judge(sandbox, program_seconds=5.0).play([pairing(FOUR, suite)])
    job = next(job for job in sandbox.jobs if job.program == FOUR)
    assert job.limits.program_seconds == pytest.approx(3.0 + 3 * 50 * 0.9)


def test_duels_come_back_in_the_order_of_the_pairings() -> None:
    texts = [f"def f(x): return {n}\n" for n in range(6)]
    duels = play(*(pairing(text, "assert f(2) == 4") for text in texts))
    assert [duel.code for duel in duels] == texts
    assert [duel.suites[0].tests[0].passed for duel in duels] == [n == 4 for n in range(6)]


def test_a_broken_sandbox_is_an_error_and_never_a_verdict() -> None:
    with pytest.raises(SandboxUnavailable):
        Judge(FakeSandbox(broken=True)).judge([pairing(SQUARE, "assert f(2) == 4")])


# ── history ──


def test_replayed_tests_keep_their_text_and_give_the_pass_rate() -> None:
    history = ("assert f(2) == 4", "assert  f( 3 )==9", "assert f(0) == 0")
    (duel,) = play(pairing(DOUBLE, history=history))
    assert [test.source for test in duel.history] == list(history)
    assert [test.passed for test in duel.history] == [True, False, True]
    assert duel.pass_hist == pytest.approx(2 / 3)


def test_a_replayed_test_the_reference_contradicts_is_reported_and_not_counted() -> None:
    (duel,) = play(pairing(DOUBLE, history=("assert f(2) == 4", "assert f(3) == 6", "not a test")))
    assert [test.state for test in duel.history] == [State.VALID, State.UNSTABLE, State.MALFORMED]
    assert "no longer agrees" in duel.history[1].detail and duel.history[1].source == "assert f(3) == 6"
    assert duel.pass_hist == 1.0 and "history-dropped" in duel.flags


def test_without_a_countable_history_there_is_no_pass_rate() -> None:
    assert play(pairing(DOUBLE, history=("assert f(3) == 6",)))[0].pass_hist is None
    assert play(pairing(DOUBLE))[0].pass_hist is None


def test_golden_tests_are_played_as_history() -> None:
    asked = question(golden=("assert f(2) == 4", "assert f(3) == 9"))
    judge = Judge(FakeSandbox())
    right, wrong, broken = judge.play_golden([(asked, Completion(text)) for text in (SQUARE, DOUBLE, "f = ")])
    assert (right.pass_hist, wrong.pass_hist, broken.pass_hist) == (1.0, 0.5, 0.0)
    assert [passes_all(duel) for duel in (right, wrong, broken)] == [True, False, False]
    (without,) = judge.play_golden([(question(), Completion(SQUARE))])
    assert not passes_all(without)


# ── questions, rules, scores ──


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("", "no program"),
        ("def g(x): return x", "does not define 'f'"),
        ("import nothing_of_this_name\ndef f(x): return x", "does not load"),
        ("def f(x) return x", "'f'|does not load"),
    ],
)
def test_a_reference_that_cannot_be_used_names_its_question(reference: str, reason: str) -> None:
    for suites in ((), ("assert f(2) == 4",)):
        with pytest.raises(QuestionError, match=f"question 'q'.*({reason})"):
            play(pairing(SQUARE, *suites, reference=reference))


def test_scores_are_those_of_the_reward_functions() -> None:
    suite = "assert f(2) == 4\nassert f(3) == 9\nassert f(4) == 15\nassert f(None) == 1"
    (duel,) = Judge(FakeSandbox(), Rules(k=4)).judge([pairing(DOUBLE, suite, history=("assert f(5) == 25",))])
    (scored,) = duel.suites
    # kept 3 of 4, spoiled 1 dropped + 1 corrected; fails f(3), f(4) of the first four; pass_hist 0
    assert scored.validity == pytest.approx(0.5)
    assert scored.adversity == pytest.approx((2 / 4 - 1 + 1) / 2)
    assert scored.reward == pytest.approx(0.5 * 0.5 + 0.5 * 0.25)
    assert duel.reward == pytest.approx((0 + 1 / 3) / 2)


def test_without_predictions_a_filled_answer_is_no_correction() -> None:
    suite = "assert f(2) == 0\nassert f(3) == 0"
    (with_, without) = (
        Judge(FakeSandbox(), Rules(k=2, predictions=predictions)).judge([pairing(SQUARE, suite)])[0]
        for predictions in (True, False)
    )
    assert (with_.suites[0].validity, without.suites[0].validity) == (0.0, 1.0)


def test_without_predictions_bare_calls_are_tests_whose_answer_is_filled_in() -> None:
    suite = "```python\nf(3)\nf( 3 )\n  f(4)\nf(None)\ng(1)\nassert f(5) == 0\n```"
    (duel,) = play(pairing(DOUBLE, suite), rules=Rules(k=4, predictions=False))
    assert [(test.source, test.state, test.predicted) for test in duel.suites[0].tests] == [
        ("assert f(3) == 9", State.VALID, None),
        ("assert f( 3 ) == None", State.REPEATED, None),
        ("assert f(4) == 16", State.VALID, None),
        ("assert f(None) == None", State.RAISED, None),
        ("assert f(5) == 25", State.CORRECTED, "0"),
    ]
    assert score(duel, Rules(k=4, predictions=False)).suites[0].validity == pytest.approx(0.5)  # 1 - 2 dropped / 4
    assert play(pairing(DOUBLE, "f(3)\nf(4)"))[0].suites[0].tests == ()


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e9, float("nan")])
def test_a_time_limit_that_means_nothing_is_refused(seconds: float) -> None:
    with pytest.raises(ConfigError, match="call_seconds"):
        Judge(FakeSandbox(), call_seconds=seconds)
    with pytest.raises(ConfigError, match="call_seconds"):
        Judge(FakeSandbox()).under(Rules(), call_seconds=seconds)
