"""`a1kit judge` as people and programs use it: exact output and exit statuses, whatever comes in or breaks."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import a1kit
from a1kit.cli import main
from a1kit.sandbox import FakeSandbox

DEMO = Path(__file__).resolve().parents[2] / "data" / "duels" / "demo.jsonl"
GOOD: dict[str, Any] = {
    "id": "good",
    "entry_point": "f",
    "reference": "def f(x): return x * x",
    "candidate": "def f(x): return x + x",
    "suites": ["assert f(2) == 4\nassert f(3) == 9"],
}
FIELDS = {"id", "candidate", "suites", "history", "pass_hist", "reward", "flags"}


def jsonl(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def record(identity: str, **fields: object) -> dict[str, Any]:
    return {**GOOD, "id": identity, **fields}


def start(*arguments: str | Path, **streams: Any) -> subprocess.Popen[bytes]:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([sys.executable, "-m", "a1kit", "judge", *map(str, arguments)], **streams)


class Done:
    """A finished command: `results` are its lines of output."""

    def __init__(self, process: subprocess.Popen[bytes], given: bytes | None) -> None:
        self.out, stderr = process.communicate(given, timeout=120)
        self.err, self.status = stderr.decode(), process.returncode

    @property
    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def judge(*arguments: str | Path, given: bytes | None = None) -> Done:
    return Done(start(*arguments, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE), given)


@pytest.fixture(autouse=True)
def _nothing_is_left_running() -> Iterator[None]:
    before = {process.pid for process in psutil.process_iter() if "zygote" in " ".join(_cmdline(process))}
    yield
    deadline = time.monotonic() + 10
    while left := [p for p in psutil.Process().children(recursive=True) if p.pid not in before and p.is_running()]:
        assert time.monotonic() < deadline, f"left running: {[_cmdline(process) for process in left]}"
        time.sleep(0.05)


def _cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


# ── the main road ──


def test_a_file_and_standard_input_give_the_same_results_in_order() -> None:
    from_file, from_input = judge(DEMO), judge(given=DEMO.read_bytes())
    expected = [json.loads(line)["id"] for line in DEMO.read_text().splitlines()]
    assert (from_file.status, from_file.err) == (0, "")
    assert [result["id"] for result in from_file.results] == expected
    assert all(set(result) == FIELDS for result in from_file.results)
    assert from_input.out == from_file.out and judge("-", "--jobs", "1", given=DEMO.read_bytes()).out == from_file.out


def test_the_python_call_gives_what_the_command_gives() -> None:
    records = [json.loads(line) for line in DEMO.read_text().splitlines()[:6]]
    assert list(a1kit.judge(records)) == judge(given=jsonl(*records)).results
    assert a1kit.judge(records[1]) == judge(given=jsonl(records[1])).results[0]


def test_every_line_is_answered_without_waiting_for_the_next() -> None:
    process = start(stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    for identity in ("one", "two"):
        process.stdin.write(jsonl(record(identity)))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == identity
    assert Done(process, None).status == 0


def test_options_set_the_defaults_of_all_lines() -> None:
    line = jsonl(record("a"))
    (plain,), (other,) = judge(given=line).results, judge("--k", "2", "--alpha", "0", given=line).results
    assert plain["suites"][0]["validity"] == 0.25 and other["suites"][0]["validity"] == 1.0
    assert other["suites"][0]["reward"] == other["suites"][0]["adversity"] == 0.5
    (paper,) = judge("--k", "1", "--convention", "paper", given=line).results
    assert [test["state"] for test in paper["suites"][0]["tests"]] == ["valid", "extra"]


def test_the_table_is_for_people_and_harmless() -> None:
    done = judge("--table", given=jsonl(record("a\x1b[31mred\nb"), {"id": "bad"}))
    text = done.out.decode()
    assert done.status == 1 and "\x1b" not in text
    assert "a [31mred b" in text and "bad" in text and "'entry_point' is missing" in " ".join(text.split())


def test_an_output_file_appears_complete(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    done = judge("--output", target, given=jsonl(record("a"), record("b")))
    assert (done.status, done.out) == (0, b"")
    assert [json.loads(line)["id"] for line in target.read_text().splitlines()] == ["a", "b"]
    assert list(tmp_path.iterdir()) == [target]


# ── bad input ──


def test_a_bad_line_is_answered_in_its_place_and_the_rest_goes_on() -> None:
    lines = [
        jsonl(record("first")),
        b"{not json\n",
        b"\n   \n",
        b'{"id": "\xff"}\n',
        jsonl({"id": "short"}),
        jsonl(record("typo", refrence="x")),
        jsonl(record("ref", reference="def g(): pass")),
        jsonl(record("boom", reference="def f(x): return x\nraise SystemExit(3)")),
        jsonl(record("last"))[:-1],
    ]
    done = judge(given=b"".join(lines))
    assert done.status == 1
    assert [(result["id"], "error" in result) for result in done.results] == [
        ("first", False), (None, True), (None, True), ("short", True), ("typo", True), ("ref", True), ("boom", True),
        ("last", False),
    ]  # fmt: skip
    assert done.err == "a1kit: 6 of 8 lines could not be judged; their results say why\n"


def test_enormous_and_odd_arguments_are_data() -> None:
    nines, nested = "9" * 200_000, "[" * 3_000 + "]" * 3_000
    suite = f"assert f({nines}) == 1\nassert f({nested}) == 1\nassert f(10 ** 1_000_000) == 1\nassert f(2) == 4"
    (result,) = judge(given=jsonl(record("big", suites=[suite, "\x00", "assert f(2) == 4"]))).results
    states = [test["state"] for test in result["suites"][0]["tests"]]
    assert states[-1] == "valid" and not {"valid", "corrected"} & set(states[:-1])
    assert result["suites"][2]["tests"][0]["state"] == "valid"


def test_a_line_of_100_megabytes_is_refused_within_bounded_memory(tmp_path: Path) -> None:
    source = tmp_path / "big.jsonl"
    with source.open("wb") as file:
        file.write(jsonl(record("before")) + b'{"id": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' + jsonl(record("after")))
    measured = (
        "import sys\nfrom a1kit.cli import main\nfrom a1kit.sandbox.trials import peak_megabytes\n"
        "try:\n    main(['judge', sys.argv[1]])\nfinally:\n    print(peak_megabytes(), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", measured, str(source)], capture_output=True, text=True, timeout=120)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["id"] for result in results] == ["before", None, "after"]
    assert "100.0 MB long, at most 16.8 MB" in results[1]["error"] and done.returncode == 1
    assert float(done.stderr.splitlines()[-1]) < 300


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_an_empty_input_is_an_error(tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "empty.jsonl"
    source.write_bytes(content)
    done = judge(source)
    assert (done.status, done.out) == (1, b"") and "holds no lines" in done.err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["no-such-file"], 1, "cannot read 'no-such-file': No such file or directory; give"),
        (["/"], 1, "'/' is a folder"),
        (["--output", "/no/such/folder/x"], 1, "cannot write '/no/such/folder/x'"),
        (["--k", "0"], 1, "k is 0"),
        (["--alpha", "3"], 1, "alpha is 3.0"),
        (["--call-seconds", "0"], 1, "call_seconds is 0.0"),
        (["--k", "many"], 2, "--k"),
        (["--convention", "other"], 2, "other"),
        (["--jobs", "0"], 2, "--jobs"),
        (["--what"], 2, "--what"),
    ],
)
def test_wrong_arguments_have_their_exit_status(arguments: list[str], status: int, message: str) -> None:
    done = judge(*arguments, given=jsonl(GOOD))
    assert (done.status, done.out) == (status, b"") and message in done.err
    assert "Traceback" not in done.err


# ── what breaks around it ──


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    source = tmp_path / "many.jsonl"
    source.write_bytes(jsonl(*(record(str(n)) for n in range(300))))
    process = start(source)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["id"] == "0"
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr is not None and process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said_in_one_sentence() -> None:
    with open("/dev/full", "wb") as full:
        done = Done(start(DEMO, stdout=full), None)
    assert done.status == 3 and done.err.startswith("a1kit: cannot write the results: No space left on device")
    assert done.err.count("\n") == 1
    assert judge(DEMO, "--output", "/dev/full").status == 3


def test_a_line_that_does_not_fit_is_taken_back_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))

    with target.open("wb") as file:
        done = Done(start(DEMO, stdout=file, preexec_fn=small_files), None)
    assert done.status == 3 and "cannot write the results: File too large" in done.err
    assert target.stat().st_size > 0 and all(json.loads(line)["id"] for line in target.read_text().splitlines())


def test_an_interrupt_leaves_no_process_and_no_half_written_file(tmp_path: Path) -> None:
    source, target = tmp_path / "slow.jsonl", tmp_path / "out.jsonl"
    endless = "def f(x):\n    while True: pass"
    source.write_bytes(jsonl(*(record(str(n), candidate=f"# {n}\n{endless}") for n in range(200))))
    process = start(source, "--output", target)
    deadline = time.monotonic() + 60
    while not _running_children(process):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    done = Done(process, None)
    assert (done.status, done.err) == (130, "a1kit: interrupted\n")
    assert list(tmp_path.iterdir()) == [source]
    assert psutil.wait_procs(children, timeout=10)[1] == []


def _running_children(process: subprocess.Popen[bytes]) -> bool:
    """Whether a program is being judged: some child of a child is using the processor."""
    descendants = psutil.Process(process.pid).children(recursive=True)
    return any(child.ppid() != process.pid and sum(_times(child)) > 0.2 for child in descendants)


def _times(process: psutil.Process) -> tuple[float, float]:
    try:
        return process.cpu_times()[:2]
    except psutil.Error:
        return (0.0, 0.0)


class BrokenSandbox(FakeSandbox):
    """Starts, and fails as soon as it is asked for something."""

    workers = 1

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__(broken=True)


def test_a_failure_of_the_machinery_is_status_3_and_never_a_reward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("a1kit.duel.records.LocalSandbox", BrokenSandbox)
    target = tmp_path / "out.jsonl"
    for arguments in ([str(DEMO)], [str(DEMO), "--output", str(target)]):
        with pytest.raises(SystemExit) as end:
            main(["judge", *arguments])
        out, err = capfd.readouterr()
        assert (end.value.code, out) == (3, "") and "fake sandbox" in err
    assert list(tmp_path.iterdir()) == []


def test_help_names_every_option() -> None:
    text = judge("--help").out.decode()
    for option in ("--output", "--jobs", "--k", "--alpha", "--convention", "--call-seconds", "--level", "--table"):
        assert option in text


def test_the_environment_is_not_shown_to_candidates() -> None:
    candidate = "import os\ndef f(x): return os.environ.get('A1KIT_CLI_SECRET')"
    line = jsonl(
        record("env", candidate=candidate, reference="def f(x): return 'seen'", suites=["assert f(1) == 'seen'"])
    )
    process = start(stdin=subprocess.PIPE, env={**os.environ, "A1KIT_CLI_SECRET": "seen"})
    (result,) = Done(process, line).results
    assert result["suites"][0]["tests"][0]["verdict"] == "wrong"


def test_the_recorded_batch_is_harmless_even_where_nothing_contains_it() -> None:
    """People will judge it at the level `limits-only`, where a program may signal whatever its user may."""
    text = DEMO.read_text()
    for harm in ("SIG", "kill(-1", "killpg", "rmtree", "unlink", "os.remove", "system(", "subprocess", "fork"):
        assert harm not in text
