"""`a1kit eval` as people and programs use it: exact output and exit statuses, whatever comes in or breaks."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROWS = [
    {"id": f"times{i}", "prompt": f"Multiply by {i}.", "reference": f"def f(x): return {i} * x",
     "golden": [f"assert f(3) == {3 * i}"]}
    for i in (2, 3)
]  # fmt: skip
SAMPLES = [
    {"id": "times2", "solution": "def f(x): return x + x"},
    {"id": "times2", "completion": "```python\ndef f(x):\n    return x\n```"},
    {"id": "times3", "solution": "def f(x): return x * 3"},
    {"id": "times3", "completion": "```python\ndef f(x):\n    return x * 3\n```"},
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "tasks.jsonl", ROWS)
    write(tmp_path / "samples.jsonl", SAMPLES)
    return tmp_path


def evaluate(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "a1kit", "eval", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=300)


def test_json_lines_stream_a_line_a_question_and_the_report_last(folder: Path) -> None:
    done = evaluate(folder, "tasks.jsonl", "--completions", "samples.jsonl", "-k", 1, "-k", 2, "--json")
    assert done.returncode == 0, done.stderr
    first, second, report = map(json.loads, done.stdout.splitlines())
    assert (first["event"], first["id"], first["passes"], first["outcomes"]) == (
        "question", "times2", 1, ["passed", "wrong"],
    )  # fmt: skip
    assert second["passes"] == 2
    assert report["avg@2"]["mean"] == 0.75
    assert report["pass@2"]["mean"] == 1.0
    assert report["sealed"] == 2
    assert (folder / report["output"]).is_file()


def test_people_get_a_table_the_numbers_and_what_must_be_said(folder: Path) -> None:
    done = evaluate(folder, "tasks.jsonl", "--completions", "samples.jsonl", "-o", "out.jsonl")
    assert done.returncode == 0, done.stderr
    assert "times2" in done.stdout
    assert "avg@2  75.00 % [50.0, 100.0]" in done.stdout
    assert "mode a1-paper" in done.stdout
    assert (folder / "out.jsonl").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tasks.jsonl"], "give either --model NAME"),
        (["nothing.jsonl", "--completions", "samples.jsonl"], "nothing.jsonl"),
        (["humanevall", "--completions", "samples.jsonl"], "Did you mean"),
        (["tasks.jsonl", "--completions", "absent.jsonl"], "absent.jsonl"),
        (["tasks.jsonl", "--completions", "samples.jsonl", "--mode", "own"], "no mode 'own'; there are: a1-paper"),
        (["tasks.jsonl", "--completions", "samples.jsonl", "-k", "9"], "pass@9 needs at least 9 candidates"),
        (["tasks.jsonl", "--completions", "samples.jsonl", "--column", "prompt"], "is not OURS=THEIRS"),
        (["tasks.jsonl", "--completions", "samples.jsonl", "--seconds", "0"], "seconds is 0.0"),
        (["tasks.jsonl", "--completions", "samples.jsonl", "--html", "x.html"], "--tester"),
        (["tasks.jsonl", "--data", "tasks.jsonl", "--completions", "samples.jsonl"], "--data is for humaneval+"),
        (["micro", "--data", "tasks.jsonl", "--completions", "samples.jsonl"], "'micro' is built in"),
        (["tasks.jsonl", "--completions", "samples.jsonl", "-o", "/proc/no/where.jsonl"], "cannot write"),
    ],
)
def test_bad_input_is_one_sentence_and_status_1(folder: Path, arguments: list[str], said: str) -> None:
    done = evaluate(folder, *arguments)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_benchmark_whose_references_fail_is_not_scored(folder: Path) -> None:
    write(folder / "tasks.jsonl", [*ROWS, {**ROWS[0], "id": "broken", "golden": ["assert f(1) == 7"]}])
    write(folder / "samples.jsonl", [*SAMPLES, *({**row, "id": "broken"} for row in SAMPLES[:2])])
    done = evaluate(folder, "tasks.jsonl", "--completions", "samples.jsonl")
    assert done.returncode == 1
    assert "1 of 3 reference solutions fail" in done.stderr
    assert "broken" in done.stderr
    kept = evaluate(folder, "tasks.jsonl", "--completions", "samples.jsonl", "--without-failing", "-o", "kept.jsonl")
    assert kept.returncode == 0, kept.stderr
    assert "left out: 1 (its reference fails)" in kept.stdout


def test_an_option_that_is_none_is_usage(folder: Path) -> None:
    assert evaluate(folder, "tasks.jsonl", "--nonsense").returncode == 2


@pytest.mark.train
def test_a_real_model_is_killed_and_goes_on_to_the_same_numbers(folder: Path) -> None:
    pytest.importorskip("torch")
    words = ["micro", "--model", "micro-code", "--limit", "8", "-n", "2", "--batch", "2", "--json"]
    whole = evaluate(folder, *words, "-o", "whole.jsonl")
    assert whole.returncode == 0, whole.stderr
    command = [sys.executable, "-m", "a1kit", "eval", *words, "-o", "cut.jsonl"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cut = folder / "cut.jsonl"
    while process.poll() is None and not (cut.exists() and b'"judged"' in cut.read_bytes()):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    rest = evaluate(folder, *words, "-o", "cut.jsonl")
    assert rest.returncode == 0, rest.stderr
    reports = [json.loads(done.stdout.splitlines()[-1]) for done in (whole, rest)]
    for report in reports:
        for name in ("output", "tokens_per_second"):
            del report[name]
    assert reports[0] == reports[1]
    assert reports[0]["questions"] == 8


@pytest.mark.train
def test_best_of_n_on_the_micro_models_draws_its_page(folder: Path) -> None:
    pytest.importorskip("torch")
    done = evaluate(
        folder, "micro", "--model", "micro-code", "--tester", "micro-test", "--limit", 3, "-n", 3, "--suites", 2,
        "--html", "page.html", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    best = json.loads(done.stdout.splitlines()[-1])["best_of"]
    report = json.loads(done.stdout.splitlines()[-1])
    assert [point["n"] for point in best["curve"]] == [1, 2, 3]
    assert best["curve"][0]["mean"] == pytest.approx(report["avg@3"]["mean"])
    assert len(best["questions"]) == 3
    assert "candidate" in (folder / "page.html").read_text()
