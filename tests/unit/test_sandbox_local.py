"""The local backend when its machinery fails, is interrupted, is asked for too much, or is used for long."""

from __future__ import annotations

import ast
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import Call, Job, Level, Limits, LocalSandbox, ProgramResult, Status, drive, local, probe
from a1kit.sandbox.host import Hello, Kind, ZygoteProcess
from a1kit.sandbox.isolation import LAYERS

ECHO = "def f(x):\n    return x\n"
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.fixture
def box() -> Iterator[LocalSandbox]:
    with LocalSandbox(workers=1, allow_limits_only=True) as sandbox:
        yield sandbox


def answer(box: LocalSandbox, expression: str = "f(1)", program: str = ECHO) -> str | None:
    (seen,) = box.run(program, [Call(expression)]).observations
    return seen.value.source if seen.value else str(seen.status)


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def alive(pid: int) -> bool:
    """Whether a process exists and is not merely waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == pid:
                found.append(int(entry.name))
    return found


# ------------------------------------------------------------------------------------- failures of the machinery


def test_a_zygote_that_dies_between_jobs_is_replaced(box: LocalSandbox) -> None:
    (before,) = box.processes
    os.kill(before, signal.SIGKILL)
    assert answer(box) == "1"
    assert box.processes != (before,)


@linux_only
def test_a_zygote_that_dies_during_a_job_is_replaced_and_the_job_run_again(box: LocalSandbox) -> None:
    (zygote,) = box.processes

    def strike() -> None:
        wait_until(lambda: bool(children_of(zygote)))
        os.kill(zygote, signal.SIGKILL)

    striker = threading.Thread(target=strike)
    striker.start()
    assert answer(box, "f(2)", "import time\ntime.sleep(0.5)\n" + ECHO) == "2"
    striker.join()


def test_a_zygote_that_dies_twice_on_one_job_is_an_error_and_not_a_verdict(box: LocalSandbox) -> None:
    done = threading.Event()

    def strike() -> None:
        while not done.is_set():
            for zygote in box.processes:
                try:
                    os.kill(zygote, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.05)

    striker = threading.Thread(target=strike)
    striker.start()
    try:
        with pytest.raises(SandboxUnavailable, match=r"failed twice|ended while starting"):
            box.run("import time\ntime.sleep(20)\n")
    finally:
        done.set()
        striker.join()
    assert answer(box) == "1"


def test_a_zygote_that_falls_silent_is_replaced(box: LocalSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "_SILENCE_SECONDS", 3.0)
    (zygote,) = box.processes
    os.kill(zygote, signal.SIGSTOP)
    assert answer(box) == "1"
    assert box.processes != (zygote,)


def test_a_long_job_is_not_taken_for_a_silent_zygote(box: LocalSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "_SILENCE_SECONDS", 3.0)
    result = box.run("import time\ntime.sleep(5)\n" + ECHO, [Call("f(1)")], Limits(load_seconds=5.0))
    assert result.load.status is Status.OK


def test_a_helper_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(SandboxUnavailable, match="/nowhere/python"):
        LocalSandbox(workers=1)


def test_a_helper_that_ends_while_starting_passes_on_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "zygote.py"
    script.write_text("raise SystemExit('the roof is on fire')")
    monkeypatch.setattr("a1kit.sandbox.host._SCRIPT", script)
    with pytest.raises(SandboxUnavailable, match="the roof is on fire"):
        LocalSandbox(workers=1)


# --------------------------------------------------------------------------------------------------- the levels


def offer(monkeypatch: pytest.MonkeyPatch, *layers: str) -> None:
    """Make this machine one that has these layers only."""
    wanted = {level: tuple(each for each in had if each in layers) for level, had in local._LAYERS_OF_LEVEL.items()}
    monkeypatch.setattr(local, "_LAYERS_OF_LEVEL", wanted)


@pytest.mark.parametrize("lost", ["landlock", "seccomp"])
def test_full_refuses_to_start_without_a_layer_and_names_it(monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    offer(monkeypatch, *(layer for layer in LAYERS if layer != lost))
    with pytest.raises(SandboxUnavailable, match=f"layer {lost} is missing"):
        LocalSandbox(Level.FULL, workers=1)


def test_without_namespaces_the_level_is_still_full(monkeypatch: pytest.MonkeyPatch) -> None:
    if probe().level is not Level.FULL:
        pytest.skip("this machine does not offer level full")
    offer(monkeypatch, "privileges", "landlock", "seccomp", "rlimits")
    with LocalSandbox(workers=1) as box:
        assert box.level is Level.FULL and "namespaces" in box.missing


def test_limits_only_needs_to_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "privileges", "rlimits")
    with pytest.raises(SandboxUnavailable, match="allow_limits_only=True"):
        LocalSandbox(workers=1)
    with LocalSandbox(workers=1, allow_limits_only=True) as box:
        assert box.level is Level.LIMITS_ONLY and answer(box) == "1"
    with LocalSandbox(Level.LIMITS_ONLY, workers=1) as box:
        assert box.level is Level.LIMITS_ONLY


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="about programs that root starts")
AS_WHOM = """
import os, signal
def who(): return os.getuid(), os.getgid(), os.getgroups()
def signals(pid): os.kill(pid, 0)
def forks():
    for count in range(500):
        try:
            if os.fork() == 0:
                signal.pause()
        except OSError:
            return count
"""


@needs_root
def test_without_seccomp_the_programs_of_root_run_as_somebody_who_owns_nothing() -> None:
    with LocalSandbox(Level.LIMITS_ONLY, workers=2) as box:
        others = [os.getpid(), os.getppid(), *box.processes]
        calls = [Call("who()"), Call("forks()"), *(Call(f"signals({pid})") for pid in others)]
        first, second = box.run_jobs([Job(AS_WHOM, tuple(calls))] * 2)
        who, forks, *signals = first.observations
        user, group, groups = ast.literal_eval(who.value.source if who.value else "")
        assert user == group != 0 and groups == []
        assert forks.value is not None and int(forks.value.source) < 200
        assert {seen.status for seen in signals} == {Status.REFUSED}
        assert answer(box) == "1"
        assert second.observations[1].value is not None


@needs_root
def test_root_that_cannot_become_somebody_else_gets_no_sandbox_without_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ZygoteProcess, "wait_ready", lambda self: Hello(("rlimits",), {"privileges": "no user"}, {}))
    with pytest.raises(SandboxUnavailable, match="Run as an ordinary user"):
        LocalSandbox(Level.LIMITS_ONLY, workers=1)


def test_one_missing_layer_makes_the_level_partial(monkeypatch: pytest.MonkeyPatch) -> None:
    if "seccomp" not in [layer.name for layer in probe().layers if layer.active]:
        pytest.skip("this machine has no seccomp")
    offer(monkeypatch, "privileges", "seccomp", "rlimits")
    with LocalSandbox(workers=1) as box:
        assert box.level is Level.PARTIAL and answer(box) == "1"


def test_probing_names_every_layer_and_starts_nothing_that_stays() -> None:
    report = probe()
    assert [layer.name for layer in report.layers] == list(LAYERS)
    assert all(layer.active or layer.detail for layer in report.layers)


# ------------------------------------------------------------------------------------- what children get to see


def test_the_environment_of_the_trusted_process_stays_there(box: LocalSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A1KIT_SECRET", "do not tell")
    with LocalSandbox(workers=1, allow_limits_only=True) as fresh:
        assert answer(fresh, "[name for name in os.environ if 'SECRET' in name]", "import os") == "[]"


def test_a_program_finds_no_trace_of_the_zygote_where_programs_look(box: LocalSandbox) -> None:
    program = "import sys\nimport __main__\n"
    assert answer(box, "[name for name in sys.modules if 'a1kit' in name]", program) == "[]"
    assert answer(box, "[name for name in vars(__main__) if not name.startswith('__')]", program) == "[]"
    assert answer(box, "[path for path in sys.path if 'a1kit' in path]", program) == "[]"


def test_packages_that_were_not_named_cannot_be_imported_at_level_full(box: LocalSandbox) -> None:
    if box.level is not Level.FULL:
        pytest.skip("only level full closes files")
    assert box.run("import pytest").load.status is Status.REFUSED


def test_numpy_is_ready_only_where_a_program_mentions_it(box: LocalSandbox) -> None:
    pytest.importorskip("numpy")
    assert box.kind_of(Job("x = 1")) == Kind(0, ())
    assert box.kind_of(Job("import numpy as np")) == Kind(0, ("numpy",))
    assert box.kind_of(Job("", (Call("f(1)", setup="import numpy"),), hash_seed=1)) == Kind(1, ("numpy",))
    assert answer(box, "int(np.arange(4).sum())", "import numpy as np") == "6"


def test_threads_and_event_loops_work_inside(box: LocalSandbox) -> None:
    pool = "from concurrent.futures import ThreadPoolExecutor\ndef f(x):\n"
    pool += "    with ThreadPoolExecutor(2) as pool: return list(pool.map(abs, x))\n"
    assert answer(box, "f([-1, -2])", pool) == "[1, 2]"
    loop = "import asyncio\nasync def g(x):\n    await asyncio.sleep(0)\n    return x\n"
    loop += "def f(x): return asyncio.run(g(x))\n"
    assert answer(box, "f(3)", loop) == "3"


# ---------------------------------------------------------------------------------------------- starting and ending


def test_the_trusted_process_never_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_fork() -> int:
        raise AssertionError("forked")

    monkeypatch.setattr(os, "fork", no_fork)
    with LocalSandbox(workers=1, allow_limits_only=True) as fresh:
        assert answer(fresh) == "1"


def test_a_sandbox_does_not_work_in_a_forked_copy_of_its_process(
    box: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "_owner", os.getpid() + 1)
    with pytest.raises(SandboxUnavailable, match="belongs to the process"):
        box.run(ECHO)


@linux_only
def test_closing_ends_every_process_even_in_the_middle_of_a_job() -> None:
    box = LocalSandbox(workers=1, allow_limits_only=True)
    (zygote,) = box.processes
    failures: list[BaseException] = []

    def work() -> None:
        try:
            box.run("import time\ntime.sleep(60)\n")
        except SandboxUnavailable as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert wait_until(lambda: bool(children_of(zygote)))
    children = children_of(zygote)
    box.close()
    thread.join(20)
    assert failures and not thread.is_alive()
    assert wait_until(lambda: not any(map(alive, [zygote, *children])))


@linux_only
def test_a_forgotten_sandbox_ends_its_processes() -> None:
    box = LocalSandbox(workers=1, allow_limits_only=True)
    (zygote,) = box.processes
    assert answer(box) == "1"
    children = children_of(zygote)
    del box
    gc.collect()
    assert wait_until(lambda: not any(map(alive, [zygote, *children])))


@linux_only
def test_a_waiting_child_that_was_killed_is_replaced_and_one_that_waits_dies_with_its_zygote(box: LocalSandbox) -> None:
    (zygote,) = box.processes
    for _ in range(3):
        assert answer(box) == "1"
        for child in children_of(zygote):
            os.kill(child, signal.SIGKILL)
        time.sleep(0.01)
    assert answer(box) == "1" and box.processes == (zygote,)
    children = children_of(zygote)
    os.kill(zygote, signal.SIGKILL)
    assert wait_until(lambda: not any(map(alive, [zygote, *children])))
    assert answer(box) == "1"


@linux_only
@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="needs the main thread")
def test_an_interrupt_ends_the_job_and_leaves_the_sandbox_usable(box: LocalSandbox) -> None:
    (zygote,) = box.processes

    def interrupt(number: int, frame: types.FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            box.run("import time\ntime.sleep(60)\n")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert wait_until(lambda: not alive(zygote))
    assert answer(box) == "1"


DOOMED = textwrap.dedent(
    """
    import sys, time
    from a1kit.sandbox import LocalSandbox
    box = LocalSandbox(workers=2, allow_limits_only=True)
    print(*box.processes, flush=True)
    box.run("import time\\ntime.sleep(600)\\n") if sys.argv[1] == "busy" else time.sleep(600)
    """
)


@linux_only
@pytest.mark.parametrize("state", ["busy", "idle"])
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_when_the_trusted_process_dies_everything_it_started_dies_too(state: str, blow: signal.Signals) -> None:
    doomed = subprocess.Popen(
        [sys.executable, "-c", DOOMED, state], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert doomed.stdout is not None
    zygotes = [int(pid) for pid in doomed.stdout.readline().split()]
    grandchildren: list[int] = []
    if state == "busy":
        assert wait_until(lambda: any(children_of(zygote) for zygote in zygotes))
        grandchildren = [child for zygote in zygotes for child in children_of(zygote)]
    doomed.send_signal(blow)
    doomed.wait(30)
    doomed.stdout.close()
    assert len(zygotes) == 2
    assert wait_until(lambda: not any(map(alive, [*zygotes, *grandchildren])))


def census() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), len(children_of(os.getpid()))


MIXED = [
    Job(ECHO, (Call("f(1)"),)),
    Job("def f(:\n"),
    Job("import os\nos._exit(0)\n"),
    Job("def f(x):\n    import os\n    os._exit(x)\n", (Call("f(1)"), Call("f(2)"))),
    Job("print('hi')\n" + ECHO, (Call("f('x' * 1000)"),), Limits(capture_bytes=10)),
    Job(ECHO, (Call("f(object())"), Call("f({})"))),
]


@linux_only
@pytest.mark.parametrize("rounds", [10, pytest.param(800, marks=pytest.mark.slow)])
def test_many_programs_leave_no_descriptor_process_or_memory_behind(rounds: int) -> None:
    with LocalSandbox(workers=2, allow_limits_only=True) as box:
        box.run_jobs(MIXED * 4)
        memory = resident_megabytes()  # collects garbage, so that what earlier tests left is not closed meanwhile
        before = census()
        for _ in range(rounds):
            box.run_jobs(MIXED)
        assert census() == before
        assert resident_megabytes() - memory < 10
        assert all(len(children_of(zygote)) <= 1 for zygote in box.processes), "more than the child that waits"


def resident_megabytes() -> float:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def statuses(result: ProgramResult) -> list[Status]:
    return [seen.status for seen in result.observations]


def test_thousands_of_failing_calls_fit_in_the_output_limit(box: LocalSandbox) -> None:
    program = "def f(x):\n    raise ValueError('no ' * 200)\n"
    result = box.run(program, [Call("f(1)")] * 3000, Limits(output_bytes=100_000))
    assert statuses(result) == [Status.RAISED] * 3000
    assert result.observations[-1].exception == "ValueError" and result.events == ()


def test_importing_the_sandbox_is_light() -> None:
    heavy = ("numpy", "torch", "asyncio", "duckdb")
    code = f"import sys, a1kit.sandbox\nprint([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


class EndingModule:
    """The zygote's module, loaded as the zygote never is: to test how it waits without a pidfd."""

    def __init__(self) -> None:
        import importlib.util

        from a1kit.sandbox import host

        spec = importlib.util.spec_from_file_location("zygote_under_test", host._SCRIPT)
        assert spec is not None and spec.loader is not None
        self.module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_the_end_of_a_child_is_seen_with_and_without_a_pidfd(has_pidfd: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    module = EndingModule().module
    if not has_pidfd:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sleeper = subprocess.Popen(["/bin/sleep", "60"])
        ending = module.Ending(sleeper.pid, theirs.fileno(), theirs.fileno())
        assert ending.wait(0.05) == "running"
        sleeper.kill()
        assert wait_until(lambda: ending.wait(0.05) == "ended")
        ending.close()
        sleeper.wait()
        lingerer = subprocess.Popen(["/bin/sleep", "60"])
        ending = module.Ending(lingerer.pid, theirs.fileno(), theirs.fileno())
        ours.close()
        assert wait_until(lambda: ending.wait(0.05) == "unwanted")
        ending.close()
        lingerer.kill()
        lingerer.wait()
