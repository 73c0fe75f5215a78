"""A step as rows: what a step file holds, and the one place that knows its columns.

One Parquet file a step, one table a file. The column `kind` says which noun a row is, and every kind is in row groups
of its own, so a reader of tests never touches the text of a candidate:

    step      1 a file         metrics and seconds by phase
    question  1 a question     text, entry point, reference
    duel      1 a candidate    its program, rewards, tokens, what TopVar made of it
    suite     1 a completion of the Test LLM
    test      1 a generated test, and 1 a replayed one (suite is null)
    event     1 a move of a counter of the Mistake Book, with the verdict that made it

Columns that a kind does not have are null, which costs Parquet next to nothing. `docs/data-schema.md` documents the
columns under the names of the views (`a1kit.store.queries`); text is packed (`a1kit.store.text`).

Not stored: the token numbers and their log-probabilities (a run would be thirty times as large); counts and the mean
log-probability are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from a1kit.selection import advantages, population_std
from a1kit.store.book import BookEvent, Change
from a1kit.store.text import pack, unpack
from a1kit.types import (
    Completion,
    Duel,
    Form,
    JudgedTest,
    Load,
    Outcome,
    Question,
    State,
    StepRecord,
    Suite,
    TestCase,
    Verdict,
)

SCHEMA = 1
"""Version of the columns; in the metadata of every step file and in `config.yaml`."""

KINDS = ("step", "question", "duel", "suite", "test", "event")

_TEXT, _WORD, _REAL, _WHOLE = pa.string(), pa.dictionary(pa.int32(), pa.string()), pa.float64(), pa.int32()

COLUMNS: dict[str, pa.DataType] = {
    "kind": _WORD,
    "step": _WHOLE,
    "question": _TEXT,
    "candidate": _WHOLE,
    "suite": _WHOLE,
    "test": _WHOLE,
    # step
    "metrics": pa.map_(pa.string(), pa.float64()),
    "seconds": pa.map_(pa.string(), pa.float64()),
    # question
    "prompt": _TEXT,
    "entry_point": _TEXT,
    "reference": _TEXT,
    # duel and suite
    "text": _TEXT,
    "code": _TEXT,
    "load": _WORD,
    "detail": _TEXT,
    "flags": pa.list_(pa.string()),
    "pass_hist": _REAL,
    "pass_new": _REAL,
    "validity": _REAL,
    "adversity": _REAL,
    "reward": _REAL,
    "advantage": _REAL,
    "sigma": _REAL,
    "selected": pa.bool_(),
    "prompt_tokens": _WHOLE,
    "tokens": _WHOLE,
    "finished": pa.bool_(),
    "mean_logprob": _REAL,
    # test
    "state": _WORD,
    "form": _WORD,
    "call": _TEXT,
    "written": _TEXT,
    "source": _TEXT,
    "predicted": _TEXT,
    "oracle": _TEXT,
    "outcome": _WORD,
    "got": _TEXT,
    "why": _TEXT,
    # event
    "place": _WHOLE,
    "life": pa.int64(),
    "change": _WORD,
    "counter": _WHOLE,
}

TABLE_SCHEMA = pa.schema(list(COLUMNS.items()), metadata={b"a1kit_schema": str(SCHEMA).encode()})

_USED: dict[str, tuple[str, ...]] = {
    "step": ("step", "metrics", "seconds"),
    "question": ("prompt", "entry_point", "reference"),
    "duel": ("candidate", "text", "code", "load", "detail", "flags", "pass_hist", "reward", "selected", "finished"),
    "suite": ("candidate", "suite", "text", "validity", "adversity", "reward", "finished"),
    "test": ("candidate", "suite", "state", "form", "call", "written", "source", "predicted", "oracle", "detail",
             "outcome", "got", "why"),
    "event": ("candidate", "source", "life", "change", "counter"),
}  # fmt: skip
"""The columns that reading a record back needs, by kind: most columns of a kind are null."""

Row = dict[str, Any]
Columns = Mapping[str, Sequence[Any]]


def step_tables(record: StepRecord, events: Sequence[BookEvent] = ()) -> Iterator[pa.Table]:
    """The tables of a step, one a kind that has rows, in the order of `KINDS`."""
    rows: dict[str, list[Row]] = {
        "step": [{"metrics": list(record.metrics.items()), "seconds": list(record.timings.items())}],
        "question": _question_rows(record.duels),
        "duel": [],
        "suite": [],
        "event": _event_rows(record.duels, events),
    }
    tests: list[_Placed] = []
    selected = set(record.selected)
    taught = _code_advantages(record.duels)
    for index, (duel, candidate) in enumerate(zip(record.duels, candidates(record.duels), strict=True)):
        address = {"question": pack(duel.question.id), "candidate": candidate}
        rewards = [suite.reward for suite in duel.suites]
        sigma = population_std(rewards) if rewards else None
        rows["duel"].append(address | _duel_row(duel, taught[index], sigma, index in selected))
        for place, (suite, advantage) in enumerate(zip(duel.suites, advantages(rewards), strict=True)):
            rows["suite"].append(address | _suite_row(place, suite, advantage, index in selected))
            tests += [(address, place, number, test) for number, test in enumerate(suite.tests)]
        tests += [(address, None, number, test) for number, test in enumerate(duel.history)]
    columns = {kind: _columns(found) for kind, found in rows.items()}
    columns["test"] = _test_columns(tests)
    counts = {kind: len(found) for kind, found in rows.items()} | {"test": len(tests)}
    for kind in KINDS:
        if counts[kind]:
            yield _table(kind, record.step, counts[kind], columns[kind])


def write_tables(path: Path, tables: Iterable[pa.Table]) -> None:
    """Write tables of the common schema to one Parquet file, each in row groups of its own."""
    with pq.ParquetWriter(path, TABLE_SCHEMA, compression="lz4") as writer:
        for table in tables:
            writer.write_table(table, row_group_size=100_000)


class StepFile(NamedTuple):
    """A step as its file has it; completions come back without their token numbers."""

    record: StepRecord
    events: tuple[BookEvent, ...]


def read_step(path: Path, question: str | None = None) -> StepFile:
    """The step of a step file, as the records it was written from.

    question   only the duels and events of this question; `selected` then counts among those duels
    """
    rows: dict[str, list[Row]] = {kind: [] for kind in KINDS}
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            kind = file.read_row_group(group, columns=["kind"])["kind"][0].as_py()
            table = file.read_row_group(group, columns=[*_USED[kind], "question"], use_threads=False)
            if question is not None and kind != "step":
                table = table.filter(pc.equal(table["question"], pack(question)))
            rows[kind] += table.to_pylist()
    questions = {row["question"]: _read_question(row) for row in rows["question"]}
    suites = _by_address(rows["suite"])
    tests = _by_address(rows["test"])
    duels = tuple(
        _read_duel(row, questions[row["question"]], suites.get(_address(row), []), tests.get(_address(row), []))
        for row in rows["duel"]
    )
    (step,) = rows["step"]
    selected = tuple(index for index, row in enumerate(rows["duel"]) if row["selected"])
    record = StepRecord(step["step"], duels, selected, dict(step["metrics"]), dict(step["seconds"]))
    return StepFile(record, tuple(_read_event(row) for row in rows["event"]))


def step_questions(path: Path) -> list[str]:
    """The questions of a step file, in the order in which the step has them."""
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=["kind", "question"], use_threads=False)
            if table["kind"][0].as_py() == "question":
                return [unpack(name) for name in table["question"].to_pylist()]
    return []


def candidates(duels: Sequence[Duel]) -> list[int]:
    """The place of each duel among its question's."""
    seen: dict[str, int] = {}
    places = []
    for duel in duels:
        place = seen.get(duel.question.id, 0)
        seen[duel.question.id] = place + 1
        places.append(place)
    return places


def _code_advantages(duels: Sequence[Duel]) -> list[float]:
    """The advantage of each duel's candidate among those of its question."""
    members: dict[str, list[int]] = {}
    for index, duel in enumerate(duels):
        members.setdefault(duel.question.id, []).append(index)
    taught = [0.0] * len(duels)
    for group in members.values():
        for index, advantage in zip(group, advantages([duels[i].reward for i in group]), strict=True):
            taught[index] = advantage
    return taught


# -- one function a kind -----------------------------------------------------------------------------------------------


def _question_rows(duels: Sequence[Duel]) -> list[Row]:
    questions = {duel.question.id: duel.question for duel in duels}
    return [
        {
            "question": pack(question.id),
            "prompt": pack(question.prompt),
            "entry_point": pack(question.entry_point),
            "reference": pack(question.reference),
        }
        for question in questions.values()
    ]


def _duel_row(duel: Duel, advantage: float, sigma: float | None, selected: bool) -> Row:
    played = [test for suite in duel.suites for test in suite.tests if test.kept]
    return {
        **_completion_row(duel.completion),
        "code": pack(duel.code),
        "load": duel.load.value,
        "detail": pack(duel.load_detail),
        "flags": [pack(flag) for flag in duel.flags],
        "pass_hist": duel.pass_hist,
        "pass_new": sum(test.passed for test in played) / len(played) if played else None,
        "reward": duel.reward,
        "advantage": advantage,
        "sigma": sigma,
        "selected": selected,
    }


def _suite_row(place: int, suite: Suite, advantage: float, selected: bool) -> Row:
    kept = suite.kept
    return {
        **_completion_row(suite.completion),
        "suite": place,
        "pass_new": sum(test.passed for test in kept) / len(kept) if kept else None,
        "validity": suite.validity,
        "adversity": suite.adversity,
        "reward": suite.reward,
        "advantage": advantage,
        "selected": selected,
    }


def _completion_row(completion: Completion) -> Row:
    logprobs = completion.logprobs
    return {
        "text": pack(completion.text),
        "prompt_tokens": len(completion.prompt_ids),
        "tokens": len(completion.ids),
        "finished": completion.finished,
        "mean_logprob": sum(logprobs) / len(logprobs) if logprobs else None,
    }


_Placed = tuple[Row, int | None, int, JudgedTest]
"""The address of its duel, its suite (None: replayed), its place there, and the test."""


def _test_columns(placed: Sequence[_Placed]) -> Columns:
    """Tests outnumber everything else in a step, so they go column by column, without a row each."""
    judged = [test for *_, test in placed]
    verdicts = [test.verdict for test in judged]
    return {
        "question": [address["question"] for address, *_ in placed],
        "candidate": [address["candidate"] for address, *_ in placed],
        "suite": [suite for _, suite, _, _ in placed],
        "test": [number for _, _, number, _ in placed],
        "state": [test.state.value for test in judged],
        "form": [test.test.form.value for test in judged],
        "call": _packed([test.test.key for test in judged]),
        "written": _packed([test.test.source for test in judged]),
        "source": _packed([test.source for test in judged]),
        "predicted": _packed([test.predicted for test in judged]),
        "oracle": _packed([test.oracle for test in judged]),
        "detail": _packed([test.detail or None for test in judged]),
        "outcome": [verdict.outcome.value if verdict else None for verdict in verdicts],
        "got": _packed([verdict.got if verdict else None for verdict in verdicts]),
        "why": _packed([verdict.detail or None if verdict else None for verdict in verdicts]),
    }


def _packed(texts: Sequence[str | None]) -> list[str | None]:
    return [text if text is None or text.isascii() else pack(text) for text in texts]


def _event_rows(duels: Sequence[Duel], events: Sequence[BookEvent]) -> list[Row]:
    """The moves of the step in order, each with the verdict that made it: how the candidate failed, or a pass."""
    failures: dict[tuple[str, int, str], str] = {}
    for duel, candidate in zip(duels, candidates(duels), strict=True):
        for suite in duel.suites:
            for test in suite.tests:
                if test.verdict is not None and not test.passed:
                    failures.setdefault((duel.question.id, candidate, test.source), test.verdict.outcome.value)
    return [
        _event_row(place, event, failures.get((event.question, event.candidate, event.source)))
        for place, event in enumerate(events)
    ]


def _event_row(place: int, event: BookEvent, failure: str | None) -> Row:
    passed = event.change in (Change.PASSED, Change.MASTERED)
    return {
        "outcome": Outcome.PASSED.value if passed else failure,
        "question": pack(event.question),
        "candidate": event.candidate,
        "source": pack(event.source),
        "place": place,
        "life": event.life,
        "change": event.change.value,
        "counter": event.counter,
    }


def _columns(rows: Sequence[Row]) -> Columns:
    """Rows of one kind, which all have the same names."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def _table(kind: str, step: int, count: int, columns: Columns) -> pa.Table:
    """The columns as a table of `count` rows with every column there is; the missing ones are null."""
    arrays = []
    for name, type_ in COLUMNS.items():
        if name in columns:
            values = pa.array(columns[name], pa.string() if type_ == _WORD else type_)
            arrays.append(values.dictionary_encode() if type_ == _WORD else values)
        elif name == "kind":
            arrays.append(pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([kind])))
        elif name == "step":
            arrays.append(pa.array([step] * count, _WHOLE))
        else:
            arrays.append(pa.nulls(count, type_))
    return pa.Table.from_arrays(arrays, schema=TABLE_SCHEMA)


# -- and back ----------------------------------------------------------------------------------------------------------


def _address(row: Row) -> tuple[str, int]:
    return row["question"], row["candidate"]


def _by_address(rows: Sequence[Row]) -> dict[tuple[str, int], list[Row]]:
    grouped: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        grouped.setdefault(_address(row), []).append(row)
    return grouped


def _read_question(row: Row) -> Question:
    return Question(
        unpack(row["question"]), unpack(row["prompt"]), unpack(row["entry_point"]), unpack(row["reference"])
    )


def _read_duel(row: Row, question: Question, suites: Sequence[Row], tests: Sequence[Row]) -> Duel:
    written: dict[int | None, list[JudgedTest]] = {}
    for test in tests:
        written.setdefault(test["suite"], []).append(_read_test(test))
    return Duel(
        question=question,
        completion=_read_completion(row),
        code=unpack(row["code"]),
        load=Load(row["load"]),
        load_detail=unpack(row["detail"]),
        suites=tuple(
            Suite(
                _read_completion(suite),
                tuple(written.get(suite["suite"], ())),
                suite["validity"],
                suite["adversity"],
                suite["reward"],
            )
            for suite in suites
        ),
        history=tuple(written.get(None, ())),
        pass_hist=row["pass_hist"],
        reward=row["reward"],
        flags=tuple(unpack(flag) for flag in row["flags"]),
    )


def _read_completion(row: Row) -> Completion:
    return Completion(unpack(row["text"]), finished=row["finished"])


def _read_test(row: Row) -> JudgedTest:
    outcome = row["outcome"]
    verdict = Verdict(Outcome(outcome), _unmaybe(row["got"]), _unmaybe(row["why"]) or "") if outcome else None
    case = TestCase(unpack(row["written"]), unpack(row["call"]), Form(row["form"]))
    return JudgedTest(
        case,
        State(row["state"]),
        unpack(row["source"]),
        _unmaybe(row["predicted"]),
        _unmaybe(row["oracle"]),
        verdict,
        _unmaybe(row["detail"]) or "",
    )


def _read_event(row: Row) -> BookEvent:
    return BookEvent(
        unpack(row["question"]),
        unpack(row["source"]),
        row["life"],
        row["candidate"],
        Change(row["change"]),
        row["counter"],
    )


def _unmaybe(text: str | None) -> str | None:
    return None if text is None else unpack(text)
