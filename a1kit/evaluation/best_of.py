"""Test-time scaling: of M candidates, the one that passes the most tests (method, section 5).

For every question M candidates are written, and N suites black-box, from the question alone. Every candidate runs
against every suite, and no reference is asked: a test counts as the Test LLM wrote it, right or wrong. The candidate
that passes the most *distinct* tests wins; a test is distinct by what it calls and what it expects, and counts once
however many suites hold it. Ties go to the candidate that was written first.

How a test is played without a reference: the candidate is made its own oracle, and the test, validated on it, is
`valid` exactly when the candidate does what the test predicts. So all forms of tests are settled as everywhere else.

The curve: were n of the M candidates drawn at random, candidate number r in the order of the rule (the best is 1) wins
with chance C(M - r, n - 1) / C(M, n). Summed over right candidates and averaged over questions that is best-of-n,
without sampling; n = 1 is avg@M.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from a1kit.duel import Judge, Pairing
from a1kit.evaluation.ledger import Ledger
from a1kit.evaluation.measures import Estimate, estimate
from a1kit.parsing import parse_code, parse_tests
from a1kit.policies.protocol import Policy, Sampling
from a1kit.prompts import PromptStyle, test_prompt
from a1kit.rewards import Convention
from a1kit.types import Completion, Load, Question, State, Suite


@dataclass(frozen=True, slots=True)
class Selection:
    """One question: who passed what.

    codes    the M candidates' programs
    right    whether each passes the benchmark's own tests (what the selection does not know)
    suites   the distinct tests of each of the N suites, by number
    passed   the numbers of the tests that each candidate passed
    tests    source of each distinct test
    """

    question: Question
    codes: tuple[str, ...]
    right: tuple[bool, ...]
    suites: tuple[frozenset[int], ...]
    passed: tuple[frozenset[int], ...]
    tests: tuple[str, ...]

    @property
    def scores(self) -> tuple[int, ...]:
        """Distinct tests that each candidate passes."""
        return tuple(map(len, self.passed))

    @property
    def order(self) -> tuple[int, ...]:
        """Candidates, the winner first."""
        scores = self.scores
        return tuple(sorted(range(len(scores)), key=lambda m: (-scores[m], m)))

    @property
    def winner(self) -> int:
        return self.order[0]

    @property
    def matrix(self) -> tuple[tuple[float | None, ...], ...]:
        """Share of each suite's tests that each candidate passes: M rows, N columns; None for an empty suite."""
        return tuple(
            tuple(len(passed & suite) / len(suite) if suite else None for suite in self.suites)
            for passed in self.passed
        )

    def best_of(self, n: int) -> float:
        """The chance that the winner among n candidates drawn at random is right."""
        return best_of_n([self.right[m] for m in self.order], n)


def best_of_n(right_in_order: Sequence[bool], n: int) -> float:
    """The chance that the first, in the given order, of n places drawn at random is right.

    Raises ValueError unless 1 <= n <= the number of places.
    """
    count = len(right_in_order)
    if not 1 <= n <= count:
        raise ValueError(f"best-of-n needs 1 <= n <= {count}; got n={n}")
    ways = math.comb(count, n)
    return math.fsum(math.comb(count - rank, n - 1) / ways for rank, ok in enumerate(right_in_order, 1) if ok)


def select(
    judge: Judge,
    questions: Sequence[Question],
    codes: Sequence[Sequence[str]],
    right: Sequence[Sequence[bool]],
    suites: Sequence[Sequence[str]],
) -> list[Selection]:
    """Play every candidate of each question against every suite (texts of the Test LLM).

    All arguments have one entry a question. Raises SandboxUnavailable when the machinery fails.
    """
    # Every test is played, however many were asked for.
    everything = judge.under(replace(judge.rules, convention=Convention.RELEASE))
    oracles = [
        (place, _judged_by_itself(question, code))
        for place, (question, programs) in enumerate(zip(questions, codes, strict=True))
        for code in dict.fromkeys(programs)
        if _defines(code, question.entry_point)
    ]
    loads = everything.play([_pairing(oracle, ()) for _, oracle in oracles])
    ready = [pair for pair, duel in zip(oracles, loads, strict=True) if duel.load is Load.OK]
    duels = everything.play([_pairing(oracle, suites[place]) for place, oracle in ready])
    played = {(place, oracle.reference): duel.suites for (place, oracle), duel in zip(ready, duels, strict=True)}
    return [
        _selection(question, programs, oks, texts, {code: played.get((place, code), ()) for code in programs})
        for place, (question, programs, oks, texts) in enumerate(zip(questions, codes, right, suites, strict=True))
    ]


def write_suites(
    policy: Policy,
    questions: Sequence[Question],
    ledger: Ledger,
    *,
    tester: str,
    count: int,
    k: int,
    style: PromptStyle,
    batch: int = 1,
    seed: int = 0,
    sampling: Sampling = Sampling(),
) -> list[tuple[str, ...]]:
    """`count` black-box suites a question, of k tests each. What the ledger has of this tester is not written again."""
    texts: list[tuple[str, ...]] = []
    for number, start in enumerate(range(0, len(questions), batch)):
        group = questions[start : start + batch]
        if (tester, count, number) not in ledger.suites:
            prompts = [test_prompt(question, None, k, style) for question in group]
            own = int.from_bytes(sha256(f"{seed}/suites/{number}".encode()).digest()[:4])
            drawn = policy.sample(prompts, count, seed=own, sampling=sampling)
            written = {question.id: [one.text for one in suites] for question, suites in zip(group, drawn, strict=True)}
            ledger.put({"kind": "suites", "tester": tester, "count": count, "batch": number, "texts": written})
        kept = ledger.suites[tester, count, number]
        texts += [tuple(kept[question.id]) for question in group]
    return texts


def _defines(code: str, entry_point: str) -> bool:
    """Whether a candidate defines the function: any other cannot be an oracle, and passes nothing."""
    parsed = parse_code(code, entry_point)
    return bool(parsed.code) and not {"entry-missing", "syntax"} & set(parsed.flags)


def _judged_by_itself(question: Question, code: str) -> Question:
    return Question(question.id, question.prompt, question.entry_point, code)


def _pairing(oracle: Question, suites: Sequence[str]) -> Pairing:
    return Pairing(oracle, Completion(oracle.reference), tuple(map(Completion, suites)))


def _selection(
    question: Question,
    codes: Sequence[str],
    right: Sequence[bool],
    texts: Sequence[str],
    played: Mapping[str, Sequence[Suite]],
) -> Selection:
    numbers: dict[tuple[str, ...], int] = {}
    sources: list[str] = []
    places: list[dict[int, int]] = []  # for each suite: place of a test in it -> the test's number
    for text in texts:
        own: dict[int, int] = {}
        calls: set[str] = set()
        for place, test in enumerate(parse_tests(text, question.entry_point)):
            if test.malformed is None and test.key not in calls:
                calls.add(test.key)
                key = (test.key, test.predicted or "", test.check, *test.exceptions)
                if key not in numbers:
                    numbers[key] = len(sources)
                    sources.append(test.source)
                own[place] = numbers[key]
        places.append(own)
    passed = {
        code: frozenset(
            own[place]
            for own, suite in zip(places, suites, strict=False)
            for place, test in enumerate(suite.tests)
            if test.state is State.VALID and place in own
        )
        for code, suites in played.items()
    }
    return Selection(
        question,
        tuple(codes),
        tuple(right),
        tuple(frozenset(own.values()) for own in places),
        tuple(passed[code] for code in codes),
        tuple(sources),
    )


def curve(selections: Sequence[Selection]) -> list[Estimate]:
    """Best-of-n for n = 1 … M, each with its interval over questions."""
    most = min((len(one.codes) for one in selections), default=0)
    return [estimate([one.best_of(n) for one in selections]) for n in range(1, most + 1)]
