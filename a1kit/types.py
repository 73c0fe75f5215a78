"""The words of the game: the frozen records that every other module passes around.

One noun per idea (`docs/method.md` is the glossary). A record carries everything that belongs to it, so that
filtering or sorting moves it whole; there are no parallel lists anywhere in the kit.

    Question ── Duel ── Suite ── JudgedTest ── TestCase
                 │        └ Completion              └ parsed from the Test LLM's text
                 └ Completion (the candidate)

Nothing here computes: rewards are in `a1kit.rewards`, parsing in `a1kit.parsing`, verdicts in `a1kit.duel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Message = Mapping[str, str]
"""One chat turn: `{"role": "user", "content": "..."}`."""

Prompt = str | tuple[Message, ...]
"""What a policy continues: plain text, or a conversation that its chat template renders."""


class Load(StrEnum):
    """What happened when a candidate was loaded, before any call."""

    OK = "ok"
    SYNTAX = "syntax"
    RAISED = "raised"
    MISSING = "missing"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    MEMORY = "memory"
    REFUSED = "refused"


class State(StrEnum):
    """What validation on the reference made of a generated test (Paper §3.2).

    `VALID` and `CORRECTED` tests are *kept*: they are played against the candidate. The rest are dropped.
    """

    VALID = "valid"
    CORRECTED = "corrected"
    MALFORMED = "malformed"
    REPEATED = "repeated"
    RAISED = "raised"
    TIMEOUT = "timeout"
    UNSTABLE = "unstable"
    UNSUPPORTED = "unsupported"
    EXTRA = "extra"

    @property
    def kept(self) -> bool:
        """Whether a test in this state is played."""
        return self in (State.VALID, State.CORRECTED)


class Outcome(StrEnum):
    """How a candidate did on one test. Everything but `PASSED` is a failure."""

    PASSED = "passed"
    WRONG = "wrong"
    RAISED = "raised"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    MEMORY = "memory"
    REFUSED = "refused"


class Form(StrEnum):
    """How an assertion turns observed values into true or false.

    `EQUAL`   `assert f(x) == answer`: the two values are compared in the trusted process.
    `CLOSE`   `math.isclose`, `abs(a - b) < eps`, `pytest.approx`: compared there within the test's own tolerance.
    `RAISES`  the call must raise the named exception (or a subclass of it).
    `CHECK`   anything else: `TestCase.check` is evaluated over the observed values in a child of its own, which
              never holds the candidate.
    """

    EQUAL = "equal"
    CLOSE = "close"
    RAISES = "raises"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Question:
    """One task of a data set: a text, the function it asks for, and a solution that is right (the oracle).

    `golden` holds human-written assertions (source); `meta` whatever a loader wants to carry along.
    """

    id: str
    prompt: str
    entry_point: str
    reference: str
    golden: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a policy wrote: the text, and the tokens that a GRPO update needs.

    `prompt_ids` and `ids` are token numbers, `logprobs` (natural log, same length as `ids`) those of the sampler at
    its temperature. All three are empty for text that no model of ours wrote. `finished` is False when the text was
    cut by the length limit.
    """

    text: str
    prompt_ids: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    finished: bool = True


@dataclass(frozen=True, slots=True)
class TestCase:
    """One assertion of a suite, taken apart so that the candidate sees the call and never the answer.

    source       the whole test as Python source that stands on its own (set-up first, the assertion last)
    key          the normalised call: two tests with equal keys are the same test however they are spelt
    form         see `Form`
    setup        statements the calls need; runs in the program's child, and never holds an expected answer
    calls        expressions over the entry point; value i of the child is the value of `calls[i]`. After an in-place
                 change (`f(xs)` in `setup`) it is the observed name (`xs`)
    opaque_calls () or as many as `calls`: what to observe instead of all of them when the oracle's value of one of
                 `calls` cannot cross the wire (`f(x).area()` for an object, `list(f(x))` for a generator)
    predicted    source of the predicted answer (EQUAL, CLOSE: the value; RAISES: the exception's name or a tuple of
                 names; CHECK: what the one answer expression is compared with, "True"/"False" for a test of truth);
                 None if the form predicts nothing or several things
    exceptions   RAISES: names of the exceptions, without their modules, of which one must be raised
    check        expression over `_0 … _n` (the observed values) that is true when the test passes; an exception it
                 raises is a failure. CLOSE: "". RAISES: "", or a condition over `_0`, the exception's message (a str)
    check_setup  statements `check`, `predicted` and `answer_exprs` need; never sent to the candidate
    answer_exprs expressions over `_0 … _n`, one a slot of `template`: their values on the oracle are the answers
    opaque_check, opaque_answer_exprs   the same over the values of `opaque_calls`
    template     pieces around the answers: `piece, answer, piece, …` (one more piece than answers) joined is `source`
                 with the oracle's answers; RAISES: the slot is the exception's name. None if `negation` is to be used
    negation     for a test of truth (`f(x)`, `not f(x)`): the whole source with the opposite truth; else None
    value_template   RAISES: pieces that turn the test into an equality, for an oracle that returns a value
    strict       EQUAL compares types as well (`is True`, `is False`)
    rel_tol, abs_tol   tolerance of a CLOSE test (as `math.isclose`, element by element inside containers)
    malformed    None, or the reason why this is not a test; then only `source` and `key` mean anything

    `a1kit.parsing.corrected` writes an oracle's answers back and follows these rules.
    """

    __test__ = False

    source: str
    key: str
    form: Form = Form.EQUAL
    setup: str = ""
    calls: tuple[str, ...] = ()
    opaque_calls: tuple[str, ...] = ()
    predicted: str | None = None
    exceptions: tuple[str, ...] = ()
    check: str = ""
    check_setup: str = ""
    answer_exprs: tuple[str, ...] = ()
    opaque_check: str = ""
    opaque_answer_exprs: tuple[str, ...] = ()
    template: tuple[str, ...] | None = None
    negation: str | None = None
    value_template: tuple[str, ...] | None = None
    strict: bool = False
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    malformed: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the candidate did on one test. `got` is its value as Python source (capped), `detail` says why."""

    outcome: Outcome
    got: str | None = None
    detail: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


@dataclass(frozen=True, slots=True)
class JudgedTest:
    """A test with what validation and play made of it.

    `source` is the test that was played: for a corrected test it holds the oracle's answer, and it is what the
    Mistake Book remembers. `predicted` and `oracle` are Python source. `verdict` is None for a dropped test.
    """

    test: TestCase
    state: State
    source: str
    predicted: str | None = None
    oracle: str | None = None
    verdict: Verdict | None = None
    detail: str = ""

    @property
    def kept(self) -> bool:
        return self.state.kept

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.passed


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests one completion of the Test LLM made, with its reward in components (Paper §3.3, eq. 3-4)."""

    completion: Completion
    tests: tuple[JudgedTest, ...] = ()
    validity: float = 0.0
    adversity: float = 0.0
    reward: float = 0.0

    @property
    def kept(self) -> tuple[JudgedTest, ...]:
        """Tests that were played: valid ones and corrected ones."""
        return tuple(test for test in self.tests if test.kept)


@dataclass(frozen=True, slots=True)
class Duel:
    """One candidate with everything that attacked it, and what came of it.

    `code` is the program that was run (after parsing), `history` the replayed tests of the Mistake Book,
    `pass_hist` the candidate's pass rate on them (None without history), `reward` the Code LLM's.
    `flags` name what the judge noticed ("prelude", "prints-markers", ...).
    """

    question: Question
    completion: Completion
    code: str
    load: Load
    load_detail: str = ""
    suites: tuple[Suite, ...] = ()
    history: tuple[JudgedTest, ...] = ()
    pass_hist: float | None = None
    reward: float = 0.0
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """The samples that share one prompt, with the rewards GRPO compares inside the group.

    `advantages[i] = (rewards[i] - mean) / (std + eps)` (Paper §3.4); all three tuples have one entry a sample.
    """

    completions: tuple[Completion, ...]
    rewards: tuple[float, ...]
    advantages: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class UpdateStats:
    """What one policy update reported. Token means over completion tokens; `seconds` is wall time.

    `logprob_gap` is the mean distance between the sampler's log-probs and those the update computed before its first
    step: near 0, or the two disagree about the policy (another temperature, other weights).
    """

    loss: float = 0.0
    grad_norm: float = 0.0
    learning_rate: float = 0.0
    kl: float = 0.0
    entropy: float = 0.0
    clip_fraction: float = 0.0
    logprob_gap: float = 0.0
    tokens: int = 0
    groups: int = 0
    groups_without_variance: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One finished step of a run: its duels, which of them taught the Test LLM, and one row of metrics."""

    step: int
    duels: tuple[Duel, ...]
    selected: tuple[int, ...] = ()
    """Indices into `duels` that TopVar chose."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds by phase: write, attack, recall, judge, score, remember, learn."""
