"""Files of questions: every format gives the same questions, and every fault is named with its place and its remedy."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from a1kit.errors import InputError, MissingDependency, QuestionError
from a1kit.problems import load
from a1kit.problems.validation import check_question
from a1kit.types import Question

DOUBLE = "def double(x):\n    return 2 * x\n"
ROWS: list[dict[str, Any]] = [
    {"id": "a", "prompt": "Double x, bitte schön.", "entry_point": "double", "reference": DOUBLE,
     "golden": ["assert double(1) == 2", "assert double(0) == 0"]},
    {"id": "b", "prompt": "Negate x, \"please\".", "entry_point": "negate", "reference": "def negate(x): return -x\n",
     "golden": ["assert negate(1) == -1"]},
]  # fmt: skip


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_json(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows({k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows)
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def write_gzip(path: Path, rows: list[dict[str, Any]]) -> Path:
    plain = write_jsonl(path.with_suffix(""), rows)
    path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], Path]] = {
    "t.jsonl": write_jsonl,
    "t.json": write_json,
    "t.csv": write_csv,
    "t.tsv": write_csv,
    "t.parquet": write_parquet,
    "t.jsonl.gz": write_gzip,
}


def fault(path: Path, **options: Any) -> QuestionError:
    with pytest.raises(QuestionError) as caught:
        load(path, **options)
    return caught.value


def refusal(path: Path | str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        load(path, **options)
    assert not isinstance(caught.value, QuestionError)
    return str(caught.value)


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_questions(name: str, tmp_path: Path) -> None:
    problems = load(WRITERS[name](tmp_path / name, ROWS))
    assert problems.name == "t"
    assert problems.questions == tuple(Question(**{**row, "golden": tuple(row["golden"])}) for row in ROWS)


@pytest.mark.parametrize("name", WRITERS)
def test_columns_with_other_names_are_mapped_and_the_rest_is_kept_as_meta(name: str, tmp_path: Path) -> None:
    rows = [{"question": row["prompt"], "answer": row["reference"], "level": "easy"} for row in ROWS]
    problems = load(WRITERS[name](tmp_path / name, rows), columns={"prompt": "question", "reference": "answer"})
    assert [q.prompt for q in problems] == [row["prompt"] for row in ROWS]
    assert [q.entry_point for q in problems] == ["double", "negate"]
    assert all(q.meta == {"level": "easy"} for q in problems)


@pytest.mark.parametrize("name", WRITERS)
def test_a_missing_column_is_answered_with_those_found_and_the_nearest(name: str, tmp_path: Path) -> None:
    rows = [{"promt": "p", "reference": DOUBLE}]
    message = refusal(WRITERS[name](tmp_path / name, rows))
    assert f"{name} has no column 'prompt'. Found: 'promt', 'reference'. Did you mean 'promt'?" in message
    assert "columns={'prompt': 'promt'}" in message


def test_a_mapping_to_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    message = refusal(write_jsonl(tmp_path / "t.jsonl", ROWS), columns={"prompt": "question"})
    assert "no column 'question'" in message and "columns={'prompt':" in message
    assert "not the name of a column" in refusal(tmp_path / "t.jsonl", columns={"prompt": 3})


@pytest.mark.parametrize("name", WRITERS)
def test_a_row_at_fault_is_named_with_its_place_column_reason_and_remedy(name: str, tmp_path: Path) -> None:
    rows = [ROWS[0], {**ROWS[1], "prompt": None}]
    error = fault(WRITERS[name](tmp_path / name, rows))
    place = {"t.json": "row 2", "t.parquet": "row 2", "t.csv": "line 5", "t.tsv": "line 5"}.get(name, "line 2")
    assert error.where == f"{name}, {place}"
    assert (error.field, error.reason) == ("column 'prompt'", "the value is null")
    assert error.remedy and str(error).startswith(f"{error.where}: column 'prompt': the value is null. ")


@pytest.mark.parametrize("name", WRITERS)
def test_rows_at_fault_are_skipped_and_counted_when_asked(name: str, tmp_path: Path) -> None:
    rows = [{**ROWS[0], "prompt": None}, {**ROWS[0], "prompt": "   "}, ROWS[1], {**ROWS[1], "id": "c", "prompt": None}]
    problems = load(WRITERS[name](tmp_path / name, rows), on_error="skip")
    assert problems.ids == ("b",)
    assert problems.counts == {"column 'prompt': the value is null": 2, "column 'prompt': the value is blank": 1}
    assert problems.rejected[0].where.startswith(name)


BAD_ROWS: dict[str, tuple[Mapping[str, Any], str, str]] = {
    "a number for a text": ({"prompt": 3}, "prompt", "the value is int (3), not text"),
    "a list for a text": ({"reference": ["x"]}, "reference", "the value is list"),
    "an id that is a float": ({"id": 1.5}, "id", "the id is float"),
    "a reference that does not compile": (
        {"reference": "def double(x: return x"},
        "reference",
        "it does not compile: line 1",
    ),
    "a null byte": ({"reference": "x = '\0'"}, "reference", "it does not compile"),
    "another function": (
        {"reference": "def triple(x): return 3"},
        "reference",
        "it does not define 'double'; it defines triple",
    ),
    "an entry point that is no name": (
        {"entry_point": "double(x)"},
        "entry_point",
        "'double(x)' is not the name of a function",
    ),
    "a keyword": ({"entry_point": "def"}, "entry_point", "'def' is not the name"),
    "a test of something else": ({"golden": ["assert triple(1) == 3"]}, "golden", "number 1, 'assert triple(1) == 3'"),
    "a test that does not compile": ({"golden": "assert double(1 == 2"}, "golden", "it does not compile"),
    "tests that are no texts": ({"golden": [1]}, "golden", "not a list of texts"),
    "half a surrogate pair": ({"prompt": "\ud800"}, "prompt", "half of a surrogate pair"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_a_value_that_cannot_be_is_refused_with_the_reason(case: str, tmp_path: Path) -> None:
    change, field, reason = BAD_ROWS[case]
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({**ROWS[0], **change}) + "\n")
    error = fault(path)
    assert field in error.field and reason in error.reason
    assert error.where == "t.jsonl, line 1" and error.remedy
    assert list(load(path, on_error="skip").counts.values()) == [1]


def test_an_id_that_comes_twice_is_refused_with_both_places(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "t.jsonl", [ROWS[0], ROWS[1], ROWS[0]])
    error = fault(path)
    assert error.where == "t.jsonl, line 3" and "'a' is that of t.jsonl, line 1 too" in error.reason
    assert load(path, on_error="skip").ids == ("a", "b")


def test_a_row_without_an_id_is_named_after_its_place(tmp_path: Path) -> None:
    rows = [{"prompt": "p", "reference": DOUBLE}, {"id": 7, "prompt": "p", "reference": DOUBLE}]
    assert load(write_jsonl(tmp_path / "t.jsonl", rows)).ids == ("t.jsonl, line 1", "7")


def test_an_entry_point_is_taken_from_the_only_public_function(tmp_path: Path) -> None:
    source = "def _help(x): return x\n\ndef double(x): return _help(2 * x)\n"
    path = write_jsonl(tmp_path / "t.jsonl", [{"prompt": "p", "reference": source}])
    assert load(path).questions[0].entry_point == "double"
    path = write_jsonl(tmp_path / "u.jsonl", [{"prompt": "p", "reference": source + "def triple(x): return 3 * x"}])
    assert "it is missing, and the reference defines _help, double, triple" in fault(path).reason


def test_golden_tests_may_be_a_source_with_set_up_lines(tmp_path: Path) -> None:
    source = "assert double(1) == 2\nn = 4\r\nassert double(n) == 8\n"
    path = write_jsonl(tmp_path / "t.jsonl", [{"prompt": "p", "reference": DOUBLE, "golden": source}])
    assert load(path).questions[0].golden == ("assert double(1) == 2", "n = 4\nassert double(n) == 8")


def test_a_method_of_class_solution_is_an_entry_point() -> None:
    source = "class Solution:\n    def double(self, x):\n        return 2 * x\n"
    check_question(Question("a", "p", "double", source))


def test_fields_of_the_wrong_type_are_refused() -> None:
    with pytest.raises(QuestionError, match=r"question 'a': golden: the value is list .*not a tuple of texts"):
        check_question(Question("a", "p", "double", DOUBLE, golden=["assert double(1) == 2"]))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.json"])
def test_byte_order_marks_and_windows_line_ends_change_nothing(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, ROWS)
    text = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text)
    problems = load(path)
    assert problems.ids == ("a", "b")
    assert all("\r" not in q.reference + q.prompt for q in problems)


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.json"])
def test_other_encodings_are_read_when_named_and_explained_when_not(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, ROWS)
    text = path.read_text(encoding="utf-8").replace("\\u00f6", "ö")
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"byte 0xf6 is not utf-8.*encoding='latin-1'"):
        load(path)
    assert load(path, encoding="latin-1").questions[0].prompt == ROWS[0]["prompt"]
    assert "there is no encoding 'klingon'" in refusal(path, encoding="klingon")


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_utf_16_is_recognised(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, ROWS)
    path.write_bytes(path.read_text(encoding="utf-8").encode("utf-16"))
    assert "this is UTF-16, not utf-8. Pass encoding='utf-16'." in refusal(path)
    assert load(path, encoding="utf-16").ids == ("a", "b")


def test_a_line_that_is_no_json_object_costs_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    good = [json.dumps(row) for row in ROWS]
    path.write_text("\n".join([good[0], "{oops", "[1]", "", "[" * 100_000, good[1], ""]))
    assert fault(path).where == "t.jsonl, line 2"
    problems = load(path, on_error="skip")
    assert problems.ids == ("a", "b")
    assert [r.where for r in problems.rejected] == [f"t.jsonl, line {n}" for n in (2, 3, 5)]
    assert problems.counts == {"not JSON": 2, "[1] is not an object": 1}


def test_a_huge_row_is_refused_unread_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("a1kit.problems.tables.MAX_ROW_BYTES", 1 << 20)
    rows = [ROWS[0], {**ROWS[1], "id": "huge", "prompt": "x" * (3 << 20)}, ROWS[1]]
    problems = load(write_jsonl(tmp_path / "t.jsonl", rows), on_error="skip")
    assert problems.ids == ("a", "b")
    assert problems.counts == {"the row is larger than 1 MB": 1}


def test_long_csv_fields_are_read_whole_and_the_csv_module_is_left_as_it_was(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    rows = [{**ROWS[0], "prompt": "y" * 300_000}]
    assert len(load(write_csv(tmp_path / "t.csv", rows)).questions[0].prompt) == 300_000
    assert csv.field_size_limit() == before


def test_csv_rows_of_another_width_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('prompt,reference\n"two\nlines","def f(x): return x"\np,def g(x): return 1,2\n')
    error = fault(path)
    assert error.where == "t.csv, line 4" and error.reason == "3 fields, but the header names 2 columns"
    assert len(load(path, on_error="skip")) == 1


def test_a_csv_header_that_names_a_column_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("prompt,prompt\na,b\n")
    assert "names 'prompt' twice" in refusal(path)


@pytest.mark.parametrize("name", ["t.jsonl", "t.json", "t.csv", "t.parquet"])
def test_an_empty_file_is_said_to_be_empty(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.touch()
    assert refusal(path).startswith(f"{name} is empty")


def test_tables_without_rows_are_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text("[]")
    pq.write_table(pa.table({"prompt": pa.array([], pa.string())}), tmp_path / "t.parquet")
    assert "t.json is empty" in refusal(tmp_path / "t.json")
    assert "t.parquet is empty" in refusal(tmp_path / "t.parquet")


def test_files_that_are_not_what_their_names_say_are_explained(tmp_path: Path) -> None:
    for name, content, reason in [
        ("a.parquet", b"prompt,reference\n", "not a whole Parquet file"),
        ("b.parquet", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("c.jsonl.gz", b"not gzip", "not a whole gzip file"),
        ("d.json", b'{"prompt": 1}\n{"prompt": 2}\n', "name the file .jsonl"),
        ("e.json", b'{"prompt": 1}', "holds a dict, not a list"),
        ("f.jsonl", b"nothing\nhere\n", "no row of f.jsonl can be read"),
        ("g.xlsx", b"", "'.xlsx' is none of .jsonl"),
    ]:
        (tmp_path / name).write_bytes(content)
        assert reason in refusal(tmp_path / name)
    assert "is a folder" in refusal(tmp_path)
    assert "does not exist" in refusal(tmp_path / "no.jsonl")


def test_a_truncated_gzip_file_is_explained_even_in_the_middle(tmp_path: Path) -> None:
    whole = write_gzip(tmp_path / "t.jsonl.gz", [{**row, "id": str(i)} for i, row in enumerate(ROWS * 2000)])
    whole.write_bytes(whole.read_bytes()[:-100])
    assert "not a whole gzip file" in refusal(whole)


def test_a_limit_stops_reading(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "t.jsonl", ROWS)
    assert load(path, limit=1).ids == ("a",)
    assert "limit is 0" in refusal(path, limit=0)


def test_options_that_cannot_be_are_refused(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "t.jsonl", ROWS)
    assert "'ignore'; it is 'raise' or 'skip'" in refusal(path, on_error="ignore")
    assert "no preset 'kodkode'; there are: plain, kodcode" in refusal(path, preset="kodkode")
    assert "a file has no splits" in refusal(path, split="train")


def test_a_data_set_of_the_hub_is_read_through_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    asked: list[tuple[str, str | None, str]] = []

    def load_dataset(path: str, name: str | None = None, *, split: str) -> Any:
        asked.append((path, name, split))
        return datasets.Dataset.from_list(ROWS)

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    problems = load("hub:owner/tasks/hard", split="test")
    assert asked == [("owner/tasks", "hard", "test")]
    assert problems.ids == ("a", "b") and problems.splits == {"test": ("a", "b")}
    assert problems.questions[0].golden == tuple(ROWS[0]["golden"])


def test_a_data_set_that_cannot_be_fetched_is_answered_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")

    def offline(*_: Any, **__: Any) -> None:
        raise ConnectionError("Couldn't reach the Hub (OfflineModeIsEnabled)")

    def wrong_split(*_: Any, **__: Any) -> None:
        raise ValueError("Unknown split \"tests\". Should be one of ['train'].")

    monkeypatch.setattr(datasets, "load_dataset", offline)
    message = refusal("hub:owner/tasks")
    assert "'owner/tasks' cannot be fetched" in message and "HF_HOME" in message and "give the path" in message
    monkeypatch.setattr(datasets, "load_dataset", wrong_split)
    assert "Unknown split" in refusal("hub:owner/tasks", split="tests")


def test_without_datasets_the_command_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    with pytest.raises(MissingDependency, match="pip install datasets"):
        load("hub:owner/tasks")
