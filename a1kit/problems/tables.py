"""Rows from files and from the Hub, each with the place it came from, and nothing lost on the way.

A `Table` has the names of its columns and a stream of `Row`s. A row that cannot be read at all (a line that is not
JSON, a CSV row with too many fields) comes as the `QuestionError` that says so, in its place in the stream, so that
the caller can stop there or skip it and count it. What concerns a whole file (not found, empty, not UTF-8, not
Parquet) is an `InputError`.

Read are `.jsonl`, `.json` (one list of objects), `.csv`, `.tsv` (both with a header), `.parquet`, and the same with
`.gz` behind the name (not Parquet). Row numbers count from 1; for line-based formats they are line numbers, as an
editor shows them. Rows are streamed, except that CSV and JSON files are decoded whole.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from a1kit.errors import InputError, MissingDependency, QuestionError

MAX_ROW_BYTES = 64 << 20
"""A line of JSON longer than this is refused unread: no function-level problem needs it."""

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: where it is ("tasks.csv, line 7") and its values by column name."""

    where: str
    values: Mapping[str, Any]

    def fault(self, column: str, reason: str, remedy: str) -> QuestionError:
        """The error that names this row and column."""
        return QuestionError.at(self.where, f"column {column!r}", reason, remedy)

    def get(self, column: str) -> Any:
        """The value, or None when the column is absent or the value is null."""
        return self.values.get(column)

    def text(self, column: str) -> str:
        """The value as text that is not blank; anything else is a fault of the row."""
        value = self.optional_text(column)
        if value is None or not value.strip():
            state = "missing" if column not in self.values else "null" if value is None else "blank"
            raise self.fault(column, f"the value is {state}", "Fill it in, or leave the row out (on_error='skip').")
        return value

    def optional_text(self, column: str) -> str | None:
        """The value as text with line ends of one kind, or None."""
        value = self.get(column)
        if value is None:
            return None
        if not isinstance(value, str):
            reason = f"the value is {type(value).__name__} ({_short(value)}), not text"
            raise self.fault(column, reason, "Quote it, or map another column.")
        return unix_lines(value)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under one name. `columns` are the names found (for JSON those of the first object)."""

    name: str
    columns: tuple[str, ...]
    rows: Iterator[Row | QuestionError]

    def require(self, columns: Iterable[str], mapping: Mapping[str, str]) -> None:
        """Complain about the first of `columns` that the table lacks, with what it has and how to map it."""
        for column in columns:
            if column not in self.columns:
                raise InputError(missing_column(self.name, column, self.columns, mapping))


SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "prompt": ("question", "problem", "text", "description", "instruction", "content"),
    "reference": ("solution", "code", "answer", "canonical_solution", "ground_truth"),
    "entry_point": ("function_name", "func_name", "fn_name"),
    "golden": ("tests", "test_list", "test", "assertions"),
    "id": ("task_id", "question_id", "problem_id", "name"),
}
"""What the same column is called elsewhere, likeliest first."""


def missing_column(name: str, column: str, found: Sequence[str], mapping: Mapping[str, str]) -> str:
    """The sentence for a column that is not there, with the one that was probably meant."""
    wanted = next((ours for ours, theirs in mapping.items() if theirs == column), column)
    close = get_close_matches(column, found, n=1, cutoff=0.6)
    likely = [*close, *(other for other in SYNONYMS.get(wanted, ()) if other in found)]
    guess = f" Did you mean {likely[0]!r}?" if likely else ""
    have = ", ".join(map(repr, found)) or "none"
    example = repr(likely[0]) if likely else '"..."'
    return f"{name} has no column {column!r}. Found: {have}.{guess} Map it with columns={{{wanted!r}: {example}}}."


def unix_lines(text: str) -> str:
    """The text with line feeds only, as Python itself reads source."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_table(path: Path, encoding: str = "utf-8") -> Table:
    """The table in a file, by the ending of its name."""
    kinds = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = kinds[-1] if kinds else ""
    readers = {".jsonl": _jsonl, ".ndjson": _jsonl, ".json": _json, ".csv": _csv, ".tsv": _csv}
    if path.is_dir():
        raise InputError(f"{path} is a folder. Give one file of it.")
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    if kind == ".parquet":
        return _parquet(path)
    if kind not in readers:
        endings = ", ".join([*readers, ".parquet"])
        raise InputError(f"{path.name}: the ending {path.suffix!r} is none of {endings}. Rename or convert the file.")
    with _readable(path):
        return readers[kind](path, encoding)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Failures of the file itself, in words."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path.name} is not a whole gzip file ({error}). Download it again.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _open(path: Path) -> io.BufferedIOBase:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")


def _decoded(name: str, data: bytes, encoding: str) -> str:
    """Text without a byte-order mark; the error says which byte of which line is wrong."""
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        raise InputError(f"{name}: there is no encoding {encoding!r}. Try 'utf-8', 'utf-16' or 'latin-1'.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name}, {_undecodable(data, error, encoding)}") from error


def _undecodable(data: bytes, error: UnicodeDecodeError, encoding: str) -> str:
    if data.startswith(UTF16_MARKS):
        return f"line 1: this is UTF-16, not {encoding}. Pass encoding='utf-16'."
    line = data.count(b"\n", 0, error.start) + 1
    byte = data[error.start]
    return f"line {line}: byte 0x{byte:02x} is not {encoding}. Save it as UTF-8, or pass encoding='latin-1'."


def _jsonl(path: Path, encoding: str) -> Table:
    rows = _json_lines(path, encoding)
    return _from_first(path.name, rows)


def _from_first(name: str, rows: Iterator[Row | QuestionError]) -> Table:
    """The table whose columns are those of the first row that can be read; rows before it are kept."""
    before: list[Row | QuestionError] = []
    columns: tuple[str, ...] = ()
    for row in rows:
        before.append(row)
        if isinstance(row, Row):
            columns = tuple(row.values)
            break
    if not before:
        raise InputError(f"{name} is empty: there is no row in it.")
    if not columns:
        faults = [row for row in before if isinstance(row, QuestionError)]
        raise InputError(
            f"no row of {name} can be read. The first one: {faults[0]}" if faults else f"{name}: row 1 is empty."
        )
    return Table(name, columns, _chained(before, rows))


def _chained(
    first: Iterable[Row | QuestionError], rest: Iterator[Row | QuestionError]
) -> Iterator[Row | QuestionError]:
    yield from first
    yield from rest


def _json_lines(path: Path, encoding: str) -> Iterator[Row | QuestionError]:
    with _readable(path), _open(path) as stream:
        number = 0
        while line := stream.readline(MAX_ROW_BYTES + 1):
            number += 1
            where = f"{path.name}, line {number}"
            if len(line) > MAX_ROW_BYTES:
                yield QuestionError.at(where, "", f"the row is larger than {MAX_ROW_BYTES >> 20} MB", "Leave it out.")
                while line and not line.endswith(b"\n"):
                    line = stream.readline(MAX_ROW_BYTES)
            elif line.strip(b" \t\r\n\xef\xbb\xbf"):
                yield _json_row(where, line, encoding)


def _json_row(where: str, line: bytes, encoding: str) -> Row | QuestionError:
    try:
        values = json.loads(line.decode(encoding).removeprefix("\ufeff"))
    except LookupError as error:
        raise InputError(f"{where}: there is no encoding {encoding!r}.") from error
    except UnicodeDecodeError as error:
        reason, _, remedy = _undecodable(line, error, encoding).removeprefix("line 1: ").partition(". ")
        return QuestionError.at(where, "", reason, remedy)
    except (ValueError, RecursionError) as error:
        return QuestionError.at(where, "", f"not JSON ({error})", "Write one JSON object a line.")
    return _object(where, values)


def _object(where: str, values: Any) -> Row | QuestionError:
    if not isinstance(values, dict):
        return QuestionError.at(where, "", f"{_short(values)} is not an object", 'Write {"column": value, ...}.')
    return Row(where, values)


def _json(path: Path, encoding: str) -> Table:
    with _open(path) as stream:
        text = _decoded(path.name, stream.read(), encoding)
    if not text.strip():
        raise InputError(f"{path.name} is empty: there is no row in it.")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "If every line is an object, name the file .jsonl." if isinstance(error, ValueError) else ""
        raise InputError(f"{path.name} is not JSON ({error}). {hint}".strip()) from error
    if not isinstance(values, list):
        raise InputError(f"{path.name} holds a {type(values).__name__}, not a list of objects.")
    return _from_first(path.name, (_object(f"{path.name}, row {i}", value) for i, value in enumerate(values, 1)))


def _csv(path: Path, encoding: str) -> Table:
    with _open(path) as stream:
        text = _decoded(path.name, stream.read(), encoding)
    delimiter = "\t" if ".tsv" in [suffix.lower() for suffix in path.suffixes] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records = _records(reader, path.name)
    header = next(records, None)
    if isinstance(header, QuestionError):
        raise InputError(str(header))
    if header is None:
        raise InputError(f"{path.name} is empty: there is no header in it.")
    columns = tuple(name.strip() for name in header[1])
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        raise InputError(f"{path.name}: the header names {twice[0]!r} twice. Rename one of the columns.")
    return Table(path.name, columns, _csv_rows(path.name, columns, records))


def _records(reader: Any, name: str) -> Iterator[tuple[int, list[str]] | QuestionError]:
    """(line where it begins, fields) of every record that is not blank; fields may be as long as they like."""
    while True:
        start = reader.line_num + 1
        before = csv.field_size_limit(MAX_ROW_BYTES)
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield QuestionError.at(f"{name}, line {start}", "", f"not CSV ({error})", "Check the quotes of this row.")
            continue
        finally:
            csv.field_size_limit(before)
        if fields:
            yield start, fields


def _csv_rows(
    name: str, columns: tuple[str, ...], records: Iterator[tuple[int, list[str]] | QuestionError]
) -> Iterator[Row | QuestionError]:
    for record in records:
        if isinstance(record, QuestionError):
            yield record
            continue
        line, fields = record
        where = f"{name}, line {line}"
        if len(fields) != len(columns):
            reason = f"{len(fields)} fields, but the header names {len(columns)} columns"
            yield QuestionError.at(where, "", reason, "Quote fields that hold commas, quotes or line ends.")
        else:
            yield Row(where, {column: value or None for column, value in zip(columns, fields, strict=True)})


def _parquet(path: Path) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.stat().st_size == 0:
        raise InputError(f"{path.name} is empty.")
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        with path.open("rb") as stream:
            pointer = stream.read(40).startswith(b"version https://git-lfs")
        hint = "It is a Git LFS pointer: run `git lfs pull`." if pointer else "Download it again."
        raise InputError(f"{path.name} is not a whole Parquet file ({error}). {hint}") from error
    if file.metadata.num_rows == 0:
        raise InputError(f"{path.name} is empty: there is no row in it.")
    return Table(path.name, tuple(file.schema_arrow.names), _parquet_rows(path.name, file))


def _parquet_rows(name: str, file: Any) -> Iterator[Row]:
    number = 0
    for batch in file.iter_batches(batch_size=64):
        for values in batch.to_pylist():
            number += 1
            yield Row(f"{name}, row {number}", values)


def hub_table(address: str, split: str) -> Table:
    """The rows of `owner/name` or `owner/name/configuration` on the Hugging Face Hub, from its cache when offline."""
    try:
        import datasets
    except ImportError as error:
        raise MissingDependency("reading a data set of the Hub needs `datasets`: pip install datasets") from error
    owner_name, _, configuration = "/".join(address.split("/")[:2]), "", "/".join(address.split("/")[2:])
    try:
        data = datasets.load_dataset(owner_name, configuration or None, split=split)
    except OSError as error:
        raise InputError(
            f"the data set {owner_name!r} cannot be fetched: {error}. Check the name and the connection; without a "
            "connection, load it once where there is one (it stays in the cache that HF_HOME names), or download its "
            "Parquet files and give the path of one."
        ) from error
    except ValueError as error:
        raise InputError(
            f"the data set {owner_name!r}: {error}. Choose with split=... or owner/name/config."
        ) from error
    name = f"{owner_name}[{split}]"
    rows = (Row(f"{name}, row {number}", values) for number, values in enumerate(data, 1))
    return Table(name, tuple(data.column_names), rows)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
