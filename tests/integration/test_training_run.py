"""The run over a toy world: real judge, real store, scripted players; every switch does what it says."""

from __future__ import annotations

import dataclasses
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from a1kit.config import RunConfig
from a1kit.errors import ConfigError, RunError, SandboxUnavailable
from a1kit.evaluation import Target
from a1kit.hacking import sign_rates, watched
from a1kit.sandbox import FakeSandbox
from a1kit.store import run_log
from a1kit.store.book import Book
from a1kit.store.queries import RunView
from a1kit.store.rows import StepFile
from a1kit.store.segments import compact
from a1kit.training.evaluate import read_evaluations
from a1kit.training.events import Ended, Evaluated, Event, Note, Paused, PhaseBegan, Saved, StepDone
from a1kit.training.run import Runner, questions_of
from a1kit.training.setup import Makers, new_run, old_run
from a1kit.training.summary import summarise
from a1kit.types import Load, Prompt, Question
from a1kit_bench.toy import ToyPolicy, toy_config, toy_makers


class Heard(list[Event]):
    """A listener that keeps all it hears, and may act on it."""

    def __init__(self, act: Callable[[Event], None] = lambda event: None) -> None:
        self.act = act

    def __call__(self, event: Event) -> None:
        self.append(event)
        self.act(event)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self if isinstance(event, kind)]


class Spying(ToyPolicy):
    """A toy player that remembers what it was asked."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.prompts: list[Prompt] = []
        self.learnt: list[int] = []

    def sample(self, prompts: Any, n: int, **options: Any) -> Any:
        self.prompts += prompts
        return super().sample(prompts, n, **options)

    def update(self, groups: Any) -> Any:
        self.learnt.append(len(groups))
        return super().update(groups)


@contextmanager
def spied(folder: Path, heard: Heard, **values: object) -> Iterator[tuple[Runner, dict[str, Spying]]]:
    """A toy run with spies for players; `eval.enabled` is off unless asked for."""
    spies: dict[str, Spying] = {}

    def policy(config: RunConfig, role: str) -> Spying:
        spies[role] = Spying(role)
        return spies[role]

    makers = dataclasses.replace(toy_makers(), policy=policy)
    with new_run(toy_config(**{"eval__enabled": False, **values}), folder, heard, makers=makers) as runner:
        yield runner, spies


def trained(folder: Path, **values: object) -> Heard:
    heard = Heard()
    with new_run(toy_config(**values), folder, heard, makers=toy_makers()) as runner:
        runner.run()
    return heard


def steps_of(folder: Path) -> list[StepFile]:
    with RunView(folder) as view:
        return [view.step(step) for step in view.steps()]


# -- the step ----------------------------------------------------------------------------------------------------------


def test_a_step_goes_through_the_method_in_its_order(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run", train__steps=1, eval__enabled=False)
    names = [event.name for event in heard.of(PhaseBegan)]
    assert names == ["write", "attack", "recall", "judge", "score", "remember", "learn_code", "learn_tests", "save"]


def test_a_step_has_every_candidate_with_all_its_suites_and_is_wholly_on_disk(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run")
    for event, file in zip(heard.of(StepDone), steps_of(tmp_path / "run"), strict=True):
        duels = event.played.duels
        assert len(duels) == 2 * 3
        assert all(len(duel.suites) == 3 for duel in duels)
        assert [duel.code for duel in file.record.duels] == [duel.code for duel in duels]
        assert [duel.reward for duel in file.record.duels] == [duel.reward for duel in duels]
        assert file.events == event.played.changes.events
        assert file.record.metrics == event.metrics


def test_signs_of_hacking_are_rates_in_the_metrics_and_flags_of_the_duels(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run")
    for file, event in zip(steps_of(tmp_path / "run"), heard.of(StepDone), strict=True):
        duels = file.record.duels
        assert sign_rates(duels).items() <= event.metrics.items()
        constant = sum("constant-answer" in duel.flags for duel in duels) / len(duels)
        assert event.metrics["hacks/constant_answer"] == pytest.approx(constant)
        assert watched(duels) == duels  # they are watched already


def test_history_is_what_the_book_held_before_the_step(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run", train__steps=6, game__questions=4)
    events = heard.of(StepDone)
    assert all(duel.history == () for duel in events[0].played.duels)
    entered: set[tuple[str, str]] = set()
    replayed = 0
    for event in events:
        for duel in event.played.duels:
            assert {(duel.question.id, test.source) for test in duel.history} <= entered
            assert len(duel.history) <= 4
            replayed += len(duel.history)
        entered |= {(change.question, change.source) for change in event.played.changes.events}
    assert replayed > 50


def test_the_test_llm_learns_from_the_suites_of_the_candidate_with_the_widest_rewards(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run")
    for event in heard.of(StepDone):
        lessons = event.played.lessons
        assert len(lessons.code) == 2
        assert len(lessons.tests) == len(lessons.selected) == 2
        for question in range(2):
            sigmas = lessons.sigmas[3 * question : 3 * question + 3]
            assert lessons.sigmas[lessons.selected[question]] == pytest.approx(max(sigmas))


@pytest.mark.parametrize(("topvar", "groups"), [("top", 2), ("random", 2), ("all", 6)])
def test_topvar_decides_how_many_groups_update_the_test_llm(tmp_path: Path, topvar: str, groups: int) -> None:
    with spied(tmp_path / "run", Heard(), game__topvar=topvar, train__steps=2) as (runner, spies):
        runner.run()
    assert spies["tests"].learnt == [groups, groups]
    assert spies["code"].learnt == [2, 2]


def test_a_candidate_that_does_not_load_is_data_with_reward_zero(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run", train__steps=12)
    broken = [duel for event in heard.of(StepDone) for duel in event.played.duels if duel.load is not Load.OK]
    assert broken
    assert all(duel.reward == 0 and all(suite.reward == 0 for suite in duel.suites) for duel in broken)


def test_the_book_follows_what_was_played(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run", train__steps=12)
    passes = failures = 0
    for event in heard.of(StepDone):
        for duel in event.played.duels:
            if duel.load is Load.OK:
                passes += sum(test.passed for test in duel.history)
                failures += len({t.source for s in duel.suites for t in s.tests if t.verdict and not t.passed})
    changes = [change.change for event in heard.of(StepDone) for change in event.played.changes.events]
    assert changes.count("entered") + changes.count("failed") == failures
    assert 0 < changes.count("passed") + changes.count("mastered") <= passes
    assert (
        sum(event.metrics["book/added"] - event.metrics["book/removed"] for event in heard.of(StepDone))
        == (heard.of(StepDone)[-1].metrics["book/size"])
    )


# -- the switches ------------------------------------------------------------------------------------------------------


def prompts_of(spy: Spying) -> str:
    return "\n".join(str(prompt) for prompt in spy.prompts)


def test_black_box_hides_the_candidate_from_the_test_llm(tmp_path: Path) -> None:
    with spied(tmp_path / "sighted", Heard(), train__steps=1) as (runner, sighted):
        runner.run()
    with spied(tmp_path / "blind", Heard(), train__steps=1, game__see_code=False) as (runner, blind):
        runner.run()
    assert "def " in prompts_of(sighted["tests"])
    assert "def " not in prompts_of(blind["tests"])


def test_without_predictions_the_test_llm_is_asked_for_calls_only(tmp_path: Path) -> None:
    asked = {}
    for predictions in (True, False):
        with spied(
            tmp_path / str(predictions), Heard(), train__steps=1, game__predictions=predictions, game__style="a1"
        ) as (runner, spies):
            asked[predictions] = runner.table.referee.rules.predictions
            runner.run()
        asked[predictions] = ("without the answer" in prompts_of(spies["tests"]), asked[predictions])
    assert asked == {True: (False, True), False: (True, False)}


def test_without_a_mistake_book_nothing_is_recalled_or_recorded(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run", game__mistake_book=False)
    assert all(duel.history == () for event in heard.of(StepDone) for duel in event.played.duels)
    assert all(event.metrics["book/size"] == 0 for event in heard.of(StepDone))
    assert not (tmp_path / "run" / run_log.BOOK).exists()


@pytest.mark.parametrize(("alpha", "part"), [(1.0, "validity"), (0.0, "adversity")])
def test_alpha_weighs_validity_against_adversity(tmp_path: Path, alpha: float, part: str) -> None:
    heard = trained(tmp_path / "run", game__alpha=alpha)
    suites = [suite for event in heard.of(StepDone) for duel in event.played.duels for suite in duel.suites]
    assert all(suite.reward == pytest.approx(getattr(suite, part)) for suite in suites)


def test_the_convention_reaches_the_rewards(tmp_path: Path) -> None:
    rewards = {}
    for convention in ("release", "paper"):
        heard = trained(tmp_path / convention, game__convention=convention, train__steps=1, game__tests=5)
        suites = [suite for event in heard.of(StepDone) for duel in event.played.duels for suite in duel.suites]
        rewards[convention] = [suite.adversity for suite in suites]
    assert rewards["paper"] != rewards["release"]


def test_a_frozen_test_llm_writes_but_never_learns(tmp_path: Path) -> None:
    with spied(tmp_path / "run", Heard(), tests__frozen=True) as (runner, spies):
        runner.run()
    assert spies["tests"].learnt == []
    assert spies["tests"].prompts
    assert spies["code"].learnt == [2, 2, 2, 2]


def test_golden_trains_the_code_llm_alone_on_the_questions_own_tests(tmp_path: Path) -> None:
    heard = Heard()
    with spied(tmp_path / "run", heard, game__opponent="golden") as (runner, spies):
        runner.run()
    assert set(spies) == {"code"}
    duels = [duel for event in heard.of(StepDone) for duel in event.played.duels]
    assert all(tuple(test.source for test in duel.history) == duel.question.golden for duel in duels)
    loaded = [duel for duel in duels if duel.load is Load.OK]
    assert all(duel.reward == pytest.approx(sum(t.passed for t in duel.history) / 3) for duel in loaded)
    assert any(0 < duel.reward < 1 for duel in loaded)
    assert all(event.metrics["book/size"] == 0 for event in heard.of(StepDone))


def test_static_tests_are_written_once_without_a_candidate_and_kept_for_the_resumed_run(tmp_path: Path) -> None:
    heard = Heard()
    with spied(tmp_path / "run", heard, game__opponent="static", game__static_suites=2) as (runner, spies):
        asked = len(spies["tests"].prompts)
        fixed = runner.table.fixed
        runner.run()
        assert "def " not in prompts_of(spies["tests"])
        assert len(spies["tests"].prompts) == asked == 4
    assert spies["tests"].learnt == []
    assert fixed is not None
    duels = [duel for event in heard.of(StepDone) for duel in event.played.duels]
    assert all(tuple(test.source for test in duel.history) == fixed[duel.question.id] for duel in duels)
    with old_run(tmp_path / "run", heard, steps=5, makers=toy_makers()) as again:
        assert again.table.fixed == fixed
        assert again.run() == 5


def test_in_self_play_one_model_writes_both_and_all_candidates_face_the_same_suites(tmp_path: Path) -> None:
    heard = Heard()
    with spied(tmp_path / "run", heard, game__opponent="self") as (runner, spies):
        runner.run()
    assert set(spies) == {"code"}
    assert "<c>def" not in prompts_of(spies["code"])
    assert spies["code"].learnt == [4, 4, 4, 4]  # two questions: a group of candidates and a group of suites each
    for event in heard.of(StepDone):
        duels, lessons = event.played.duels, event.played.lessons
        assert lessons.selected == ()
        for number in (0, 1):
            candidates = duels[3 * number : 3 * number + 3]
            texts = [tuple(suite.completion.text for suite in duel.suites) for duel in candidates]
            assert texts[0] == texts[1] == texts[2]
            means = [sum(duel.suites[place].reward for duel in candidates) / 3 for place in range(3)]
            assert lessons.tests[number].rewards == pytest.approx(means)
    with old_run(tmp_path / "run", heard, steps=5, makers=toy_makers()) as again:
        assert again.run() == 5
    assert not (run_log.checkpoint_path(tmp_path / "run", 4) / "tests").exists()


def test_a_supervised_tester_learns_golden_tests_where_a_candidate_failed_them_and_nobody_else_learns(
    tmp_path: Path,
) -> None:
    heard = Heard()
    with spied(tmp_path / "run", heard, game__opponent="sft", game__tests=2) as (runner, spies):
        runner.run()
    assert spies["code"].learnt == []
    assert spies["tests"].prompts == []
    taught = 0
    for event in heard.of(StepDone):
        for duel in event.played.duels:
            (suite,) = duel.suites
            assert set(suite.completion.text.splitlines()) <= set(duel.question.golden)
            assert len(suite.tests) == 2 and suite.completion.logprobs == ()
            taught += duel.load is Load.OK and any(not test.passed for test in suite.kept)
        assert all(group.advantages == (1.0,) for group in event.played.lessons.tests)
        assert event.metrics["book/size"] == 0
    assert sum(spies["tests"].learnt) == taught > 4
    assert (run_log.checkpoint_path(tmp_path / "run", 4) / "tests").exists()


def test_a_mixed_game_replays_golden_tests_beside_those_of_the_book(tmp_path: Path) -> None:
    heard = Heard()
    with spied(tmp_path / "run", heard, game__opponent="mixed", game__replay_limit=2) as (runner, spies):
        runner.run()
    assert spies["tests"].learnt == [2, 2, 2, 2]
    replayed = [[test.source for test in duel.history] for event in heard.of(StepDone) for duel in event.played.duels]
    golden = [duel.question.golden for event in heard.of(StepDone) for duel in event.played.duels]
    assert all(sum(source in own for source in sources) >= 2 for sources, own in zip(replayed, golden, strict=True))
    assert any(source not in own for sources, own in zip(replayed, golden, strict=True) for source in sources)
    assert len({tuple(sources) for sources in replayed}) > 4
    assert any(event.metrics["book/removed"] for event in heard.of(StepDone))


def test_looking_back_counts_old_failures_and_says_what_failed_again(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run", train__steps=6, eval__every=2, eval__look_back=1)
    rows = {row["step"]: row for row in run_log.read_metrics(tmp_path / "run")}
    assert "eval/old_failures_passed" not in rows[0]
    assert all(0 < rows[step]["eval/old_failures_passed"] < 1 for step in (2, 4, 6))
    assert "eval/refailed" not in rows[2] and 0 <= rows[6]["eval/refailed"] <= 1
    reports = {report["step"]: report for report in read_evaluations(tmp_path / "run")}
    failed = {
        (duel.question.id, test.source)
        for event in heard.of(StepDone)
        if event.played.step < 6
        for duel in event.played.duels
        if duel.load is Load.OK
        for suite in duel.suites
        for test in suite.kept
        if not test.passed
    }
    passes = reports[6]["old failures"]["passes"]
    assert {(question, source) for question, tests in passes.items() for source in tests} <= failed
    shares = [sum(tests.values()) / len(tests) for tests in passes.values()]
    assert rows[6]["eval/old_failures_passed"] == pytest.approx(sum(shares) / len(shares))


def test_tests_are_measured_with_their_answers_where_the_game_leaves_them_out_and_with_the_code_hidden(
    tmp_path: Path,
) -> None:
    with new_run(
        toy_config(game__predictions=False, eval__hidden=True), tmp_path / "run", Heard(), makers=toy_makers()
    ) as runner:
        assert runner.held_out is not None
        assert not runner.table.referee.rules.predictions
        assert runner.held_out.judge.rules.predictions
        question = runner.questions[0]
        targets = (Target(question, f"def {question.entry_point}(x):\n    return 99\n"),)
        spy = Spying("tests")
        table = dataclasses.replace(runner.table, tests=dataclasses.replace(runner.table.tests, policy=spy))
        numbers = dataclasses.replace(runner.held_out, targets=targets).measure(table, 1, tmp_path / "run")
    assert {"eval/kill_rate", "eval/kill_rate_hidden"} <= set(numbers)
    shown, hidden = map(str, spy.prompts)
    assert "return 99" in shown and "return 99" not in hidden


# -- the run -----------------------------------------------------------------------------------------------------------


def test_every_epoch_shows_every_question_once_and_each_in_another_order() -> None:
    questions = [Question(str(number), "", "f", "") for number in range(12)]
    epochs = [
        [question.id for step in range(start, start + 4) for question in questions_of(questions, 3, step, seed=1)]
        for start in (1, 5, 9)
    ]
    assert all(sorted(epoch) == sorted(question.id for question in questions) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2]
    with pytest.raises(ConfigError, match=r"game\.questions is 13.*12 training questions"):
        questions_of(questions, 13, 1, seed=1)


def test_a_run_with_the_same_seed_is_the_same_and_with_another_it_is_not(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        trained(tmp_path / name, seed=seed)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert contents(tmp_path / "a") != contents(tmp_path / "c")


def test_two_steps_and_two_more_are_four(tmp_path: Path) -> None:
    trained(tmp_path / "straight", train__steps=4, eval__enabled=False)
    trained(tmp_path / "split", train__steps=2, eval__enabled=False)
    with old_run(tmp_path / "split", Heard(), steps=4, makers=toy_makers()) as runner:
        assert runner.after == 2
        assert runner.run() == 4
    assert contents(tmp_path / "split") == contents(tmp_path / "straight")


def test_evaluations_are_at_the_start_the_end_and_as_often_as_asked(tmp_path: Path) -> None:
    heard = trained(tmp_path / "run", train__steps=5, eval__every=2)
    assert [event.step for event in heard.of(Evaluated)] == [0, 2, 4, 5]
    rows = {row["step"]: row for row in run_log.read_metrics(tmp_path / "run")}
    assert [step for step, row in rows.items() if "eval/avg" in row] == [0, 2, 4, 5]
    summary = summarise(tmp_path / "run")
    assert [gain.name for gain in summary.gains] == ["avg@2", "greedy"]
    assert (summary.state, summary.steps) == ("finished", 5)


def test_a_broken_sandbox_stops_the_run_with_the_last_step_safe(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    makers = dataclasses.replace(toy_makers(), sandbox=lambda config: sandbox)

    def break_at_three(event: Event) -> None:
        if isinstance(event, StepDone) and event.played.step == 3:
            sandbox.broken = True

    config = toy_config(train__checkpoint_every=2, eval__enabled=False, train__steps=5)
    with new_run(config, tmp_path / "run", Heard(break_at_three), makers=makers) as runner:
        with pytest.raises(SandboxUnavailable):
            runner.run()
    status = run_log.read_status(tmp_path / "run")
    assert (status["state"], status["step"]) == ("failed", 2)
    assert len(steps_of(tmp_path / "run")) == 3
    with old_run(tmp_path / "run", Heard(), makers=toy_makers()) as runner:
        assert runner.run() == 5
    trained(tmp_path / "whole", train__steps=5, eval__enabled=False)
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def test_a_wrong_configuration_leaves_no_folder_behind(tmp_path: Path) -> None:
    def no_model(config: RunConfig, role: str) -> ToyPolicy:
        raise ConfigError("there is no such model")

    makers = dataclasses.replace(toy_makers(), policy=no_model)
    with pytest.raises(ConfigError), new_run(toy_config(), tmp_path / "run", Heard(), makers=makers):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_second_trainer_on_the_same_run_is_refused(tmp_path: Path) -> None:
    with new_run(toy_config(), tmp_path / "run", Heard(), makers=toy_makers()):
        with pytest.raises(RunError, match="being trained by"), old_run(tmp_path / "run", Heard(), makers=toy_makers()):
            pass


def test_all_parts_are_closed_when_the_run_ends(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    made: list[ToyPolicy] = []

    def policy(config: RunConfig, role: str) -> ToyPolicy:
        made.append(ToyPolicy(role))
        return made[-1]

    makers = Makers(toy_makers().problems, policy, lambda config: sandbox)
    with new_run(toy_config(train__steps=1), tmp_path / "run", Heard(), makers=makers) as runner:
        runner.run()
    assert sandbox.closed
    assert [player.closed for player in made] == [True, True]
    assert not run_log.is_alive(tmp_path / "run")


# -- the brake ---------------------------------------------------------------------------------------------------------


def test_a_stop_request_finishes_the_step_and_saves(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    heard = Heard(lambda event: at_step(event, 3, lambda: run_log.request(folder, "stop")))
    with new_run(toy_config(train__steps=9, train__checkpoint_every=9), folder, heard, makers=toy_makers()) as runner:
        assert runner.run() == 3
    assert heard.of(Ended) == [Ended(3, "stopped")]
    assert run_log.checkpoint_steps(folder) == [3]
    assert not (folder / "control" / "stop").exists()
    assert run_log.read_status(folder)["state"] == "stopped"


def test_a_save_request_saves_once_and_the_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    heard = Heard(lambda event: at_step(event, 2, lambda: run_log.request(folder, "save")))
    config = toy_config(train__steps=4, train__checkpoint_every=9, eval__enabled=False)
    with new_run(config, folder, heard, makers=toy_makers()) as runner:
        assert runner.run() == 4
    assert [event.step for event in heard.of(Saved)] == [2, 4]


def test_a_paused_run_waits_until_it_may_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    seen: list[str] = []

    def later() -> None:
        while not seen:
            time.sleep(0.02)
            status = run_log.read_status(folder)
            if status["state"] == "paused":
                seen.append(f"{status['step']} of {status['steps']}")
        run_log.withdraw(folder, "pause")

    thread = threading.Thread(target=later)
    heard = Heard(lambda event: at_step(event, 2, lambda: (run_log.request(folder, "pause"), thread.start())))
    with new_run(toy_config(), folder, heard, makers=toy_makers()) as runner:
        assert runner.run() == 4
    thread.join()
    assert seen == ["2 of 4"]
    assert [event.paused for event in heard.of(Paused)] == [True, False]


def test_the_first_interrupt_finishes_the_step_and_saves(tmp_path: Path) -> None:
    heard = Heard(lambda event: in_phase(event, 2, "judge", lambda: os.kill(os.getpid(), signal.SIGINT)))
    with new_run(toy_config(train__checkpoint_every=9), tmp_path / "run", heard, makers=toy_makers()) as runner:
        assert runner.run() == 2
    assert run_log.checkpoint_steps(tmp_path / "run") == [2]
    assert "again to stop at once" in heard.of(Note)[0].text
    with old_run(tmp_path / "run", Heard(), makers=toy_makers()) as runner:
        runner.run()
    trained(tmp_path / "whole")
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def test_the_second_interrupt_stops_at_once_and_nothing_is_corrupt(tmp_path: Path) -> None:
    def twice(event: Event) -> None:
        in_phase(event, 3, "judge", lambda: [os.kill(os.getpid(), signal.SIGINT) for _ in range(2)])

    with new_run(toy_config(), tmp_path / "run", Heard(twice), makers=toy_makers()) as runner:
        with pytest.raises(KeyboardInterrupt):
            runner.run()
    assert run_log.read_status(tmp_path / "run")["state"] == "stopped"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with old_run(tmp_path / "run", Heard(), makers=toy_makers()) as runner:
        assert runner.after == 2
        runner.run()
    trained(tmp_path / "whole")
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def at_step(event: Event, step: int, act: Callable[[], object]) -> None:
    if isinstance(event, StepDone) and event.played.step == step:
        act()


def in_phase(event: Event, step: int, name: str, act: Callable[[], object]) -> None:
    if event == PhaseBegan(step, name):
        act()


def contents(folder: Path) -> tuple[Any, ...]:
    """All that a run came to, without its times: duels, events, metrics, models, the book."""
    files = steps_of(folder)
    duels = [(file.record.step, file.record.duels, file.record.selected, file.events) for file in files]
    metrics = [
        {name: value for name, value in row.items() if "seconds" not in name and name != "time"}
        for row in run_log.read_metrics(folder)
    ]
    last = run_log.checkpoint_path(folder, run_log.checkpoint_steps(folder)[-1])
    models = {str(path.relative_to(last)): path.read_bytes() for path in sorted(last.rglob("toy.json"))}
    with Book(folder / run_log.BOOK) as book:
        return duels, metrics, models, book.mistakes()


# -- in the long run ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory and descriptors from /proc")
def test_three_hundred_steps_keep_memory_descriptors_and_threads_flat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_log, "compact", partial(compact, span=16))  # many segments, the first before step 20
    memory: list[int] = []
    descriptors: list[int] = []

    def measure(event: Event) -> None:
        if isinstance(event, StepDone) and event.played.step % 20 == 0:
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            memory.append(pages * os.sysconf("SC_PAGE_SIZE"))
            descriptors.append(len(os.listdir("/proc/self/fd")))

    before, threads = len(os.listdir("/proc/self/fd")), set(threading.enumerate())
    config = toy_config(train__steps=300, train__checkpoint_every=50, eval__enabled=False)
    with new_run(config, tmp_path / "run", measure, makers=toy_makers()) as runner:
        runner.run()
    assert max(memory[1:]) < 1.05 * memory[0], [size >> 20 for size in memory]
    assert max(descriptors) <= descriptors[0] + 1
    assert len(os.listdir("/proc/self/fd")) <= before
    assert set(threading.enumerate()) <= threads
