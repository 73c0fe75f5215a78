"""The zygote: a small process that forks one locked-up child a program and watches it end.

Run by path (`python -S zygote.py <control descriptor> <settings>`), never imported by the trusted process. It preloads
what programs commonly import, prepares the kernel's layers once, then loops: receive an order with a descriptor, hand
it to a child, watch, report. It never reads a program; the child does, after it has locked itself up.

Where there are more cores than workers, the next child is forked while one runs, and waits, confined already and with
nothing of any program in its memory: what a fork costs is then paid while nobody waits for it. It costs more in all,
since pages shared with one more process are copied more often, so busy machines fork when asked to. Where orphans can
be left behind (no seccomp) there is no child ahead either, because whatever is there when a child has ended is killed.

Time is enforced here, from outside. The child notes in a shared page which call it began and when; whoever tampers with
that page only changes how its own program's total is spent, and the total is read from the kernel's CPU clock of the
child. The wall-clock backstop leaves out the time a child waited for a processor, so a busy machine fails nobody.

Hooks that run after a fork are not registered while preloading: this process has one thread, its children cannot fork,
and those hooks would double the cost of a child.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import importlib
import importlib.machinery
import json
import math
import mmap
import os
import select
import signal
import socket
import sys
import time
import traceback
import types
from collections.abc import Iterator
from typing import Any

_PRELOADED = (
    "abc array ast base64 bisect collections contextlib copy ctypes dataclasses datetime decimal enum fractions "
    "functools heapq io itertools json math numbers operator os random re statistics string struct sys textwrap "
    "threading time types typing warnings"
)
"""Not all there is: each shared library makes every fork dearer, so what few programs use (hashlib brings OpenSSL) they
import themselves."""

MACOS: bool = sys.platform == "darwin"

_RESULT = 3
"""The child's descriptor for its job and its frames."""

_WALL_PATIENCE = 4.0
"""However busy the machine, a program ends after this many times its wall-clock limit."""

_FIRST_NAP = 0.02
"""Seconds in which most children end. No limit is looked at before, nor this process's memory touched, which the child
still shares and which each write would copy."""

_LONGEST_NAP = 0.25
"""Seconds between looks at a child when no limit is nearer (a child may have moved on to another call)."""

_PARENT_CHECK_MS = 5_000


def load_sibling(name: str) -> types.ModuleType:
    """A module of this folder under a private copy of the built-ins, so that a program that patches them changes
    nothing here; it is not left where programs could import it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    loader = importlib.machinery.SourceFileLoader(f"a1kit_child_{name}", path)
    module = types.ModuleType(loader.name)
    module.__dict__.update(__file__=path, __builtins__=dict(vars(importlib.import_module("builtins"))))
    code = loader.get_code(loader.name)
    assert code is not None
    exec(code, module.__dict__)
    return module


@contextlib.contextmanager
def no_fork_hooks() -> Iterator[None]:
    """Modules imported meanwhile cannot register what they want done after a fork."""
    register = os.register_at_fork
    os.register_at_fork = lambda **hooks: None
    try:
        yield
    finally:
        os.register_at_fork = register


def address_space() -> int:
    """Bytes of address space this process maps, which every child inherits; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * mmap.PAGESIZE
    except OSError:
        return 0


class Watch:
    """The limits of one child, and what the clocks say."""

    def __init__(
        self, pid: int, order: tuple[Any, ...], page: mmap.mmap, frames: types.ModuleType, began: float, mac: MacClock
    ):
        self.pid, self.page, self.frames, self.began, self.mac = pid, page, frames, began, mac
        _, _, _, self.load_cpu, self.call_cpu, self.total_cpu, self.wall_factor, self.total_wall, _ = order
        self.clock = ((~pid) << 3) | 2
        self.call = -1

    def cpu(self) -> float:
        """CPU seconds of the child; wall seconds where the system has no such clock."""
        try:
            return self.mac.seconds(self.pid) if self.mac.works else time.clock_gettime(self.clock)
        except OSError:
            return time.monotonic() - self.began

    def look(self) -> tuple[int, float]:
        """(reason to kill now, or END_ITSELF; seconds until the next look)."""
        frames, now, cpu = self.frames, time.monotonic(), self.cpu()
        call, cpu_began, wall_began = frames.PROGRESS.unpack_from(self.page)
        self.call = max(-1, min(call, 1 << 30))
        limit = self.load_cpu if self.call < 0 else self.call_cpu
        left_call = limit - (cpu - cpu_began) if 0.0 <= cpu_began <= cpu else limit - cpu
        left_total = self.total_cpu - cpu
        if left_total <= 0:
            return frames.END_PROGRAM_TIME, 0.0
        if left_call <= 0:
            return frames.END_CALL_TIME, 0.0
        waited = now - self.began
        in_call = now - wall_began if self.began <= wall_began <= now else waited
        left_wall = min(self.total_wall - waited, limit * self.wall_factor - in_call)
        if left_wall <= 0:
            left_wall += self.queued()
            if left_wall <= 0 or waited > _WALL_PATIENCE * self.total_wall:
                return frames.END_WALL, 0.0
        return frames.END_ITSELF, min(left_call, left_total, left_wall, self.load_cpu, self.call_cpu, _LONGEST_NAP)

    def queued(self) -> float:
        """Seconds the child stood in line for a processor; 0 where the kernel does not say."""
        try:
            with open(f"/proc/{self.pid}/schedstat", "rb") as file:
                return int(file.read().split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0


class Ending:
    """Waits for a child to end, or for the trusted process to lose interest in it.

    By a pidfd on Linux, by a kernel queue on macOS and the BSDs, else by asking again and again.
    """

    def __init__(self, pid: int, job: int, control: int):
        self.pid, self.interest = pid, (job, control)
        self.poller = select.poll()
        self.poller.register(job, 0)
        self.poller.register(control, 0)
        self.descriptor = -1
        self.short_nap = 0.0005
        try:
            self.descriptor = os.pidfd_open(pid)
        except (OSError, AttributeError):
            self.queue = child_queue(pid)
        else:
            self.poller.register(self.descriptor, select.POLLIN)

    def wait(self, seconds: float) -> str:
        """`ended`, `unwanted`, or `running` after at most `seconds`."""
        if self.descriptor >= 0:
            ready = [descriptor for descriptor, _ in self.poller.poll(math.ceil(seconds * 1000))]
            if self.descriptor in ready:
                return "ended"
            return "unwanted" if ready else "running"
        self.short_nap = min(2 * self.short_nap, 0.01)
        nap = min(seconds, self.short_nap)
        if self.queue is None:
            time.sleep(nap)
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return "ended"
        elif self.queue == ENDED or self.queue.control(None, 1, nap):
            return "ended"
        return "unwanted" if self.poller.poll(0) else "running"

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
        elif self.queue not in (None, ENDED):
            self.queue.close()


ENDED = "ended"


def child_queue(pid: int) -> Any:
    """A kernel queue that tells when a child ends; ENDED when it already has; None where there are no such queues."""
    kernel: Any = select  # its names depend on the system
    if not hasattr(kernel, "kqueue"):
        return None
    queue = kernel.kqueue()
    event = kernel.kevent(pid, kernel.KQ_FILTER_PROC, kernel.KQ_EV_ADD, kernel.KQ_NOTE_EXIT)
    try:
        queue.control([event], 0, 0)
    except ProcessLookupError:
        queue.close()
        return ENDED
    return queue


class MacClock:
    """CPU seconds of another process on macOS, through libproc. `works` says whether it agrees with this process's own
    clock; the unit differs between processors, so it is measured."""

    def __init__(self) -> None:
        self.unit = 1.0
        self.works = False
        if not MACOS:
            return
        try:
            self.library = ctypes.CDLL("/usr/lib/libproc.dylib")
            self.unit = time.process_time() / self.ticks(os.getpid())
        except (OSError, AttributeError, ZeroDivisionError):
            return
        self.works = any(0.8 * unit < self.unit < 1.25 * unit for unit in (1e-9, 125e-9 / 3))

    def ticks(self, pid: int) -> int:
        """User and system time in the processor's own unit."""
        usage = (ctypes.c_uint64 * 16)()
        if self.library.proc_pid_rusage(pid, 0, ctypes.byref(usage)):
            raise ProcessLookupError(pid)
        return int(usage[2]) + int(usage[3])

    def seconds(self, pid: int) -> float:
        return self.ticks(pid) * self.unit


def kill_group(pid: int) -> None:
    """Kill a child and its process group. The child must not have been waited for, so its number is still its own."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def reap_strays() -> None:
    """Kill what a child left behind (possible only without seccomp): orphans become this process's children."""
    deadline = time.monotonic() + 2.0
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                orphans = file.read().split()
        except OSError:
            return
        for orphan in orphans:
            kill_group(int(orphan))
        time.sleep(0.0005)


def receive(control: socket.socket, size: int) -> tuple[bytes | None, list[int]]:
    """One message with the descriptors that came along; None when the trusted process is gone."""
    descriptors = array.array("i")
    data = b""
    while len(data) < size:
        room = socket.CMSG_SPACE(2 * descriptors.itemsize)
        part, ancillary, _, _ = control.recvmsg(size - len(data), room)
        for level, kind, payload in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(payload[: len(payload) - len(payload) % descriptors.itemsize])
        if not part:
            return None, list(descriptors)
        data += part
    return data, list(descriptors)


class Slot:
    """What one child shares with the zygote: the page where it notes its progress, and the gate it passes when it has
    locked itself up. Two children may be there at once, the one that runs and the one that waits; each closes the
    other's slot first of all."""

    def __init__(self) -> None:
        self.page, self.gate = mmap.mmap(-1, mmap.PAGESIZE), mmap.mmap(-1, mmap.PAGESIZE)
        self.blank = bytes(mmap.PAGESIZE)

    def clear(self, progress: tuple[Any, ...], layout: Any) -> None:
        self.page[:] = self.blank
        layout.pack_into(self.page, 0, *progress)
        self.gate[0] = 0

    def close(self) -> None:
        self.page.close()
        self.gate.close()


class Child:
    """A child: its number, its slot, and the socket it waits at for its order, if it waits."""

    def __init__(self, pid: int, place: int, channel: socket.socket | None):
        self.pid, self.place, self.channel = pid, place, channel

    def take(self, order: bytes, descriptors: list[int]) -> bool:
        """Give it the order; whether it took it."""
        assert self.channel is not None
        try:
            socket.send_fds(self.channel, [order], descriptors)
        except OSError:
            return False
        finally:
            self.channel.close()
        return True


class Zygote:
    """The loop, with what it prepared."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]):
        self.control, self.parent, self.pid = control, os.getppid(), os.getpid()
        sys.path += settings["site"]
        for name in _PRELOADED.split():
            importlib.import_module(name)
        self.frames = load_sibling("frames")
        isolation = load_sibling("isolation")
        child = load_sibling("child")
        named = (settings[name] for name in ("layers", "folders", "excluded", "packages"))
        self.cage = isolation.Cage(*named, load_sibling("seccomp").program)
        packages = [importlib.import_module(name) for name in settings["preload"]]
        self.slots, self.next_slot = (Slot(), Slot()), 0
        self.runner = child.Runner(load_sibling("codec"), self.frames, isolation.MEMORY_RESERVE, self.slots[0].page)
        self.mac = MacClock()
        self.waiting: Child | None = None
        self.may_leave_strays = "seccomp" not in self.cage.active
        self.ahead = settings["ahead"] and not self.may_leave_strays
        self.base_memory = address_space()
        self.reserve = isolation.MEMORY_RESERVE
        self.cage.rehearse()
        self.runner.rehearse()
        child.settle([module for module in packages if module.__name__ == "numpy"])

    def serve(self) -> None:
        """Say hello, then run orders until the trusted process goes away."""
        cage = self.cage
        say(self.control, {"active": cage.active, "missing": cage.missing, "details": cage.details})
        os.dup2(0, 2)  # last words until here went to the trusted process; a child's standard error goes nowhere
        gc.collect()
        gc.freeze()
        gc.disable()
        waiter = select.poll()
        waiter.register(self.control, select.POLLIN)
        while True:
            if not waiter.poll(_PARENT_CHECK_MS):
                if os.getppid() != self.parent:
                    break
                continue
            order, descriptors = receive(self.control, self.frames.ORDER.size)
            if order is None:
                break
            self.run(order, descriptors)
        if self.waiting is not None:
            kill_group(self.waiting.pid)

    def fork(self, order: tuple[bytes, list[int]] | None = None) -> Child:
        """A child that has its order, or waits for it."""
        place, self.next_slot = self.next_slot, 1 - self.next_slot
        self.slots[place].clear((self.frames.LOADED, 0.0, 0.0), self.frames.PROGRESS)
        ours, theirs = (None, None) if order else socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                self.become_child(place, order, theirs)
            finally:
                os._exit(self.frames.EXIT_BROKEN)
        if theirs is not None:
            theirs.close()
        return Child(pid, place, ours)

    def dispatch(self, order: bytes, descriptors: list[int]) -> Child:
        """The child that has the order: the one that waited, or a new one when there is none or it has died."""
        child, self.waiting = self.waiting, None
        if child is not None:
            if child.take(order, descriptors):
                return child
            kill_group(child.pid)
            os.waitpid(child.pid, 0)
        return self.fork((order, descriptors))

    def run(self, message: bytes, descriptors: list[int]) -> None:
        """Have one order done, watch the child, report."""
        frames, order = self.frames, self.frames.ORDER.unpack(message)
        began = time.monotonic()
        child = self.dispatch(message, descriptors)
        pid, slot = child.pid, self.slots[child.place]
        ending = Ending(pid, descriptors[0], self.control.fileno())
        if self.ahead:
            self.waiting = self.fork()
        reason, call = frames.END_ITSELF, frames.LOADED
        if ending.wait(min(_FIRST_NAP, order[4])) != "ended":
            watch = Watch(pid, order, slot.page, frames, began, self.mac)
            reason, call = self.watch(watch, ending, order[0]), watch.call
        if reason != frames.END_ITSELF or self.may_leave_strays:
            kill_group(pid)
        wall = time.monotonic() - began
        _, status, usage = os.wait4(pid, 0)
        ending.close()
        for descriptor in descriptors:
            os.close(descriptor)
        if self.may_leave_strays:
            reap_strays()
        if slot.gate[0] == 0 and reason == frames.END_ITSELF:
            reason = frames.END_UNLOCKED
        peak = usage.ru_maxrss * (1 if MACOS else 1024)
        cpu = usage.ru_utime + usage.ru_stime
        self.control.sendall(frames.REPORT.pack(order[0], reason, status, call, cpu, wall, peak))

    def watch(self, watch: Watch, ending: Ending, number: int) -> int:
        """Wait for the child to end; say why it must be killed, or END_ITSELF."""
        frames, heard = self.frames, watch.began
        while True:
            reason, nap = watch.look()
            if reason != frames.END_ITSELF:
                return reason
            event = ending.wait(nap)
            if event != "running":
                return int(frames.END_ITSELF if event == "ended" else frames.END_CANCELLED)
            if time.monotonic() - heard > frames.HEARTBEAT_SECONDS:
                heard = time.monotonic()
                self.control.sendall(frames.REPORT.pack(number, frames.HEARTBEAT, 0, watch.call, 0.0, 0.0, 0))

    def become_child(self, place: int, order: tuple[bytes, list[int]] | None, channel: socket.socket | None) -> None:
        """Everything from the fork to the program's first word. Does not return.

        Descriptors 0, 1 and 2 are the zygote's own: nothing to read, nowhere to write. A child that waits closes all
        others first, so that nobody holds on to what belongs to another child.
        """
        slot = self.slots[place]
        self.runner.page = slot.page
        self.slots[1 - place].close()
        if channel is not None:
            os.dup2(channel.fileno(), _RESULT)
            channel.detach()
            self.cage.confine(self.pid, _RESULT + 1)
            os.setsid()
            message, descriptors = receive(socket.socket(fileno=_RESULT), self.frames.ORDER.size)
            if message is None:
                os._exit(self.frames.EXIT_DONE)
        else:
            assert order is not None
            message, descriptors = order
        _, length, memory, _, _, total_cpu, _, _, captures = self.frames.ORDER.unpack(message)
        if captures:
            os.dup2(descriptors[1], 1)
            os.dup2(descriptors[1], 2)
        os.dup2(descriptors[0], _RESULT)
        if channel is None:
            os.setsid()
            self.cage.confine(self.pid, _RESULT + 1)
        memory += self.base_memory
        seconds = int(total_cpu) + 2
        self.cage.seal(_RESULT + 1, (memory, memory + self.reserve), (seconds, seconds + 1))
        slot.gate[0] = 1
        slot.gate.close()
        self.runner.main(length, bool(captures))


def say(control: socket.socket, message: dict[str, Any]) -> None:
    """One line of JSON: how a zygote introduces itself, or says why it cannot start."""
    control.sendall(json.dumps(message).encode() + b"\n")


def main(arguments: list[str]) -> None:
    control = socket.socket(fileno=int(arguments[0]))
    try:
        with no_fork_hooks():
            zygote = Zygote(control, json.loads(arguments[1]))
    except Exception as error:
        say(control, {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-2000:]})
        return
    zygote.serve()


if __name__ == "__main__":
    main(sys.argv[1:])
