"""Completions that somebody has already: a file in place of a model.

JSON lines with `id` or `task_id`, and either `completion` (a text, in which the program is looked for) or `solution`
(the program itself, as evalplus writes its samples). Every question needs the same number of them; ids of questions
that are not asked are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from a1kit.errors import InputError, QuestionError
from a1kit.evaluation.scoring import Text
from a1kit.problems.tables import Row, read_table
from a1kit.types import Question


class RecordedWriter:
    """The completions of a file. `n` a question, those of the file by default.

    Raises InputError for a file that cannot be read, a row at fault, or a question with too few completions.
    """

    def __init__(self, path: Path, questions: Sequence[Question], n: int | None = None) -> None:
        self._texts: dict[str, list[Text]] = {question.id.lower(): [] for question in questions}
        rows = 0
        for row in read_table(path).rows:
            if isinstance(row, QuestionError):
                raise row
            rows += 1
            wanted = self._texts.get(_id(row).lower())
            if wanted is not None:
                wanted.append(_text(row))
        counts = {question.id: len(self._texts[question.id.lower()]) for question in questions}
        self.n = n if n is not None else max(counts.values(), default=0)
        if not self.n:
            raise InputError(f"{path.name}: none of its {rows} rows is about a question of this benchmark")
        short = [(name, count) for name, count in counts.items() if count < self.n]
        if short:
            name, count = short[0]
            raise InputError(
                f"{path.name}: question {name!r} has {count} completions and {self.n} are needed "
                f"({len(short)} questions have too few); add them, or ask for fewer with -n or --limit"
            )

    def write(self, questions: Sequence[Question], batch: int) -> list[tuple[Text, ...]]:
        return [tuple(self._texts[question.id.lower()][: self.n]) for question in questions]

    def prefix(self, question: Question) -> str:
        return ""


def _id(row: Row) -> str:
    return row.text("id" if row.get("id") is not None else "task_id")


def _text(row: Row) -> Text:
    solution = row.optional_text("solution")
    if solution is not None:
        return Text(solution, program=True)
    completion = row.optional_text("completion")
    if completion is None:
        raise row.fault("completion", "it is missing, and so is solution", "Give one of the two in every row.")
    return Text(completion)
