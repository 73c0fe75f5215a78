"""A problem set: questions that belong together, their splits, and what did not become a question and why.

    problems = load("classic")
    problems.split("train")        # a ProblemSet with the training questions only
    problems["classic/three_sum"]  # one Question
    problems.counts                # {"prompt too long": 3, "prompt is missing": 1}

A `ProblemSet` is frozen and every one of its questions has another id. Splits name ids; they may not overlap, and a
question may belong to none. Nothing is dropped silently: every row a loader left out is a `Rejection`, or, for the
reasons that can concern a whole data set (thousands of prompts that are too long), counted in `counts` all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from a1kit.errors import InputError
from a1kit.types import Question


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that did not become a question. `reason` is short and the same for all rows it fits (it is counted);
    `where` names the file and row, `detail` is the whole sentence."""

    reason: str
    where: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """Questions with a name, splits (split name → question ids) and the rows that were left out."""

    name: str
    questions: tuple[Question, ...]
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rejected: tuple[Rejection, ...] = ()

    def __post_init__(self) -> None:
        repeated = [identity for identity, n in Counter(q.id for q in self.questions).items() if n > 1]
        if repeated:
            raise self._fault(f"the id {repeated[0]!r} is used twice. Give every question another id.")
        known = {question.id for question in self.questions}
        placed: dict[str, str] = {}
        for split, ids in self.splits.items():
            for identity in ids:
                if identity not in known:
                    raise self._fault(f"split {split!r} names {identity!r}, which is no question of the set.")
                if identity in placed:
                    raise self._fault(f"{identity!r} is in the splits {placed[identity]!r} and {split!r}.")
                placed[identity] = split

    def _fault(self, sentence: str) -> InputError:
        return InputError(f"problem set {self.name!r}: {sentence}")

    @property
    def counts(self) -> dict[str, int]:
        """How many rows were left out, by reason, most frequent first."""
        return dict(Counter(rejection.reason for rejection in self.rejected).most_common())

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the questions, in order."""
        return tuple(question.id for question in self.questions)

    def without(self, judged: Iterable[tuple[Question, Rejection | None]]) -> ProblemSet:
        """The set without the questions that come with a rejection; splits shrink with it, and it is counted."""
        kept, rejected = [], list(self.rejected)
        for question, rejection in judged:
            if rejection is None:
                kept.append(question)
            else:
                rejected.append(rejection)
        ids = {question.id for question in kept}
        splits = {name: tuple(i for i in split if i in ids) for name, split in self.splits.items()}
        return ProblemSet(self.name, tuple(kept), splits, tuple(rejected))

    def divided(self, held_out: float) -> ProblemSet:
        """The set with the splits `train` and `held_out`, about that share in the latter, chosen by a hash of each id:
        the same question falls on the same side in every run and however many others there are."""
        if not 0 < held_out < 1:
            raise self._fault(f"held_out is {held_out}; it is a share between 0 and 1.")
        away = {i for i in self.ids if int.from_bytes(sha256(i.encode()).digest()[:8]) < held_out * 2**64}
        splits = {
            "train": tuple(i for i in self.ids if i not in away),
            "held_out": tuple(i for i in self.ids if i in away),
        }
        return replace(self, splits=splits)

    def split(self, name: str) -> ProblemSet:
        """The questions of one split, in the set's order, as a set of their own."""
        if name not in self.splits:
            choices = ", ".join(map(repr, self.splits)) or "none"
            raise self._fault(f"there is no split {name!r}; there is: {choices}.")
        ids = set(self.splits[name])
        chosen = tuple(question for question in self.questions if question.id in ids)
        return replace(self, name=f"{self.name}:{name}", questions=chosen, splits={}, rejected=())

    def __getitem__(self, identity: str) -> Question:
        for question in self.questions:
            if question.id == identity:
                return question
        raise KeyError(identity)

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)
