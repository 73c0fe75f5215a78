"""One step of the game, as the method tells it (Paper §3): write, attack, recall, judge, score, remember, learn.

    Q questions -> Q M candidates -> Q M N suites -> verdicts -> rewards -> the book -> two GRPO updates

`play` is the whole of it. Its parts are one function each, in this order, and everything random comes from the seed and
the step's number, so a step can be played again.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from a1kit.config import GameConfig
from a1kit.duel import Pairing, score
from a1kit.hacking import watched
from a1kit.parsing import parse_code
from a1kit.policies.protocol import Policy, Sampling
from a1kit.prompts import PromptStyle, code_prompt, test_prompt
from a1kit.rewards import Rules
from a1kit.selection import TopVar, advantages, select
from a1kit.store.book import Book, BookChanges
from a1kit.types import Completion, Duel, Group, Load, Question, StepRecord, UpdateStats

Candidates = Mapping[str, tuple[Completion, ...]]
"""Question id -> its M candidates."""

History = Mapping[str, tuple[str, ...]]
"""Question id -> sources of its historical tests."""

Phase = Callable[[str], None]
"""Called with the name of each phase as it begins."""


class Referee(Protocol):
    """What runs programs and decides: `a1kit.duel.Judge`, or a fake. `rules` are those of the rewards."""

    rules: Rules

    def play(self, pairings: Iterable[Pairing]) -> list[Duel]:
        """One duel a pairing, in order, with verdicts and without rewards.

        Raises `InfrastructureError` when the machinery fails; what a model wrote never does."""
        ...


@dataclass(frozen=True, slots=True)
class Player:
    """One model with how it samples. A frozen player writes and never learns."""

    policy: Policy
    sampling: Sampling
    frozen: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Who plays, by which rules, and with what memory. `book` is None without a Mistake Book. `fixed` are the tests of
    a baseline (question id -> sources) that stand in for both the Test LLM and the book; `tests` is not asked then."""

    game: GameConfig
    code: Player
    tests: Player | None
    referee: Referee
    book: Book | None
    fixed: History | None = None


@dataclass(frozen=True, slots=True)
class Lessons:
    """What the two models are to learn from: GRPO groups, the duels TopVar chose, and the spread of every duel."""

    code: tuple[Group, ...]
    tests: tuple[Group, ...]
    selected: tuple[int, ...]
    sigmas: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A finished step: its duels, what the book did, what was learnt, and seconds by phase."""

    step: int
    duels: tuple[Duel, ...]
    lessons: Lessons
    changes: BookChanges
    code_update: UpdateStats | None
    tests_update: UpdateStats | None
    seconds: Mapping[str, float]

    def record(self, metrics: Mapping[str, float]) -> StepRecord:
        return StepRecord(self.step, self.duels, self.lessons.selected, metrics, self.seconds)


def play(table: Table, questions: Sequence[Question], *, step: int, seed: int, phase: Phase) -> Played:
    """One training step on `questions`: the method, in its own order.

    Raises `InfrastructureError` from the referee before the book or a model has changed.
    """
    clock = Clock(phase)
    with clock("write"):
        candidates = write(table, questions, seed_for(seed, step, "write"))
    with clock("attack"):
        suites = attack(table, questions, candidates, seed_for(seed, step, "attack"))
    with clock("recall"):
        history = recall(table, questions, seed_for(seed, step, "recall"))
    with clock("judge"):
        unscored = table.referee.play(pair(questions, candidates, suites, history))
    with clock("score"):
        duels = watched([score(duel, table.referee.rules) for duel in unscored])
        lessons = choose(table.game, duels, seed_for(seed, step, "topvar"))
    with clock("remember"):
        changes = remember(table, step, duels)
    with clock("learn_code"):
        own = lessons.tests if table.game.opponent == "self" else ()
        code_update = learn(table.code, (*lessons.code, *own))
    with clock("learn_tests"):
        tests_update = learn(table.tests, lessons.tests)
    return Played(step, duels, lessons, changes, code_update, tests_update, clock.seconds)


# -- the parts, in order -----------------------------------------------------------------------------------------------


def write(table: Table, questions: Sequence[Question], seed: int) -> Candidates:
    """The Code LLM writes M candidates a question."""
    style = PromptStyle(table.game.style)
    prompts = [code_prompt(question, style) for question in questions]
    written = table.code.policy.sample(prompts, table.game.candidates, seed=seed, sampling=table.code.sampling)
    return {question.id: samples for question, samples in zip(questions, written, strict=True)}


def attack(
    table: Table, questions: Sequence[Question], candidates: Candidates, seed: int
) -> Mapping[tuple[str, int], tuple[Completion, ...]]:
    """The Test LLM writes N suites against each candidate; in self-play, N for a question, which all of its candidates
    face. Nobody attacks in a baseline with fixed tests."""
    game = table.game
    aims = [
        (question, place, candidate)
        for question in questions
        for place, candidate in enumerate(candidates[question.id])
    ]
    if table.tests is None or table.fixed is not None:
        return {}
    if game.opponent == "self":
        return _for_all(table, questions, seed)
    if game.opponent == "sft":
        return _given(table, questions, candidates, seed)
    prompts = [
        test_prompt(
            question,
            parse_code(candidate.text, question.entry_point).code if game.shows_code else None,
            game.tests,
            PromptStyle(game.style),
            calls_only=not game.predictions,
        )
        for question, _, candidate in aims
    ]
    written = table.tests.policy.sample(prompts, game.suites, seed=seed, sampling=table.tests.sampling)
    return {(question.id, place): suites for (question, place, _), suites in zip(aims, written, strict=True)}


def _for_all(
    table: Table, questions: Sequence[Question], seed: int
) -> Mapping[tuple[str, int], tuple[Completion, ...]]:
    """The suites of self-play: written once a question, without a candidate."""
    game = table.game
    prompts = [
        test_prompt(question, None, game.tests, PromptStyle(game.style), calls_only=not game.predictions)
        for question in questions
    ]
    assert table.tests is not None
    written = table.tests.policy.sample(prompts, game.suites, seed=seed, sampling=table.tests.sampling)
    return {
        (question.id, place): suites
        for question, suites in zip(questions, written, strict=True)
        for place in range(game.candidates)
    }


def _given(
    table: Table, questions: Sequence[Question], candidates: Candidates, seed: int
) -> Mapping[tuple[str, int], tuple[Completion, ...]]:
    """Supervised fine-tuning of the Test LLM (Paper §4.1): for each candidate one suite of K golden tests, as if the
    Test LLM had written it."""
    game, style, rng = table.game, PromptStyle(table.game.style), random.Random(seed)
    assert table.tests is not None
    written = {}
    for question in questions:
        for place, candidate in enumerate(candidates[question.id]):
            tests = "\n".join(rng.sample(question.golden, min(game.tests, len(question.golden))))
            code = parse_code(candidate.text, question.entry_point).code if game.shows_code else None
            prompt = test_prompt(question, code, game.tests, style)
            text = tests if style is PromptStyle.MICRO else f"```python\n{tests}\n```"
            written[question.id, place] = (table.tests.policy.as_written(prompt, text),)
    return written


def recall(table: Table, questions: Sequence[Question], seed: int) -> History:
    """What the Mistake Book remembers of each question, read before this step writes to it; or a baseline's tests. In a
    mixed game as many golden tests, drawn anew every step, come with it."""
    if table.fixed is not None:
        return table.fixed
    limit = table.game.replay_limit
    found = {question.id: table.book.recall(question.id, limit) if table.book else () for question in questions}
    if table.game.opponent == "mixed":
        rng = random.Random(seed)
        for question in questions:
            drawn = rng.sample(question.golden, min(limit, len(question.golden)))
            found[question.id] = tuple(dict.fromkeys((*found[question.id], *drawn)))
    return found


def pair(
    questions: Sequence[Question],
    candidates: Candidates,
    suites: Mapping[tuple[str, int], tuple[Completion, ...]],
    history: History,
) -> Iterator[Pairing]:
    """Each candidate with the suites against it and its question's history."""
    for question in questions:
        for place, candidate in enumerate(candidates[question.id]):
            yield Pairing(question, candidate, suites.get((question.id, place), ()), history.get(question.id, ()))


def choose(game: GameConfig, duels: Sequence[Duel], seed: int) -> Lessons:
    """GRPO groups: a question's candidates for the Code LLM; for the Test LLM the suites TopVar keeps (Paper §3.4)."""
    code, tests, selected = [], [], []
    sigmas = [0.0] * len(duels)
    for number, places in enumerate(by_question(duels)):
        candidates = [duels[place] for place in places]
        rewards = tuple(duel.reward for duel in candidates)
        code.append(Group(tuple(duel.completion for duel in candidates), rewards, advantages(rewards)))
        suite_rewards = [[suite.reward for suite in duel.suites] for duel in candidates]
        chosen = select(suite_rewards, keep=game.kept_candidates, how=TopVar(game.topvar), seed=seed + number)
        for place, sigma in zip(places, chosen.sigmas, strict=True):
            sigmas[place] = sigma
        if game.opponent == "self":
            tests.append(_suites_of(candidates))
        if game.opponent == "sft":
            tests += [_lesson(duel) for duel in candidates if _failed(duel)]
        for index in chosen.chosen if game.attacked else ():
            suites = candidates[index].suites
            rewards = tuple(suite.reward for suite in suites)
            tests.append(Group(tuple(suite.completion for suite in suites), rewards, advantages(rewards)))
            selected.append(places[index])
    return Lessons(tuple(code), tuple(tests), tuple(selected), tuple(sigmas))


def _suites_of(candidates: Sequence[Duel]) -> Group:
    """Self-play: the suites of a question as one group; a suite earns the mean of its rewards over the candidates."""
    rewards = tuple(
        sum(suite.reward for suite in faced) / len(candidates)
        for faced in zip(*(duel.suites for duel in candidates), strict=True)
    )
    return Group(tuple(suite.completion for suite in candidates[0].suites), rewards, advantages(rewards))


def _failed(duel: Duel) -> bool:
    """Whether a candidate that loads failed a test of the suite against it."""
    return duel.load is Load.OK and any(not test.passed for suite in duel.suites for test in suite.kept)


def _lesson(duel: Duel) -> Group:
    """A suite to be imitated: with the advantage 1 and no older policy, GRPO's gradient is that of the likelihood."""
    return Group((duel.suites[0].completion,), (1.0,), (1.0,))


def remember(table: Table, step: int, duels: Sequence[Duel]) -> BookChanges:
    """The Mistake Book takes note of what was passed and what was failed."""
    if table.book is None:
        return BookChanges((), 0, 0, 0)
    return table.book.record(step, duels)


def learn(player: Player | None, groups: Sequence[Group]) -> UpdateStats | None:
    """One GRPO update; nothing for a frozen or absent player."""
    if player is None or player.frozen or not groups:
        return None
    return player.policy.update(groups)


# -- what the parts share ----------------------------------------------------------------------------------------------


def by_question(duels: Sequence[Duel]) -> list[list[int]]:
    """The places of the duels of each question, questions in order of appearance."""
    places: dict[str, list[int]] = {}
    for place, duel in enumerate(duels):
        places.setdefault(duel.question.id, []).append(place)
    return list(places.values())


def seed_for(seed: int, step: int, purpose: str) -> int:
    """A number of 63 bits that depends on all three: the random state of a run is its seed and its step."""
    digest = hashlib.blake2b(f"{seed}/{step}/{purpose}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


class Clock:
    """Seconds by phase; says which one begins."""

    def __init__(self, phase: Phase) -> None:
        self.seconds: dict[str, float] = {}
        self._phase = phase

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self._phase(name)
        started = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - started
