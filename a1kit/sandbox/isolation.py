"""The kernel's part of the sandbox: what a child may not do, whatever it runs.

Stands alone (standard library only): it is loaded by the zygote, which prepares everything once, and used in each child
with a handful of system calls. Layers, each probed on its own because machines differ:

    privileges   no_new_privs, no capabilities, not dumpable (no core, no ptrace, no /proc/<pid>/mem), orphans
                 collected; without seccomp, root's programs run as a user that owns nothing
    namespaces   own user, network, IPC and host-name namespaces (optional: many containers forbid them)
    landlock     only the interpreter's library and named packages can be read, nothing written; no TCP; signals and
                 abstract sockets stay inside (as far as the kernel's Landlock version goes)
    seccomp      an allow-list of system calls: threads yes; processes, sockets, signals to others, tracing no
    rlimits      address space, CPU seconds, file size 0, few descriptors, no core

Not covered: side channels between programs on the same core, and bugs of the kernel itself. `stat` of a path outside
the readable set tells whether it exists (Landlock does not restrict it), but nothing of its content.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

LAYERS = ("privileges", "namespaces", "landlock", "seccomp", "rlimits")

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 4, 38, 36
_CLONE_NEWUTS, _CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x04000000, 0x08000000, 0x10000000, 0x40000000
_PR_SET_KEEPCAPS = 8
_CAPABILITY_VERSION_3 = 0x20080522
_CAN_READ, _CAN_KILL, _CAN_SETGID, _CAN_SETUID = 1 << 2, 1 << 5, 1 << 6, 1 << 7
"""Capabilities: read files whoever owns them, signal anybody's processes, become another group, another user."""

_NOBODY_FROM, _NOBODIES = 2_000_000_000, 100_000_000


class LayerMissing(Exception):
    """This machine does not offer the layer; the message says why."""


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_void_p)]


class Kernel:
    """System calls that Python does not wrap, by architecture."""

    def __init__(self) -> None:
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.syscall.restype = ctypes.c_long
        self.fast = ctypes.CDLL(None)
        self.fast.syscall.restype = ctypes.c_long
        self.column = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), -1)
        if not sys.platform.startswith("linux"):
            self.column = -1

    def call(self, name: str, *arguments: object) -> int:
        """One system call. Raises OSError, or LayerMissing where the architecture's numbers are unknown."""
        if self.column < 0:
            raise LayerMissing(f"no system call numbers for {sys.platform} on {platform.machine()}")
        number = _PRIVATE_CALLS[name][self.column]
        result = self.libc.syscall(ctypes.c_long(number), *arguments)
        if result < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return int(result)

    def prepared(self, name: str, *arguments: int) -> Callable[[], None]:
        """A system call made ready in advance: the fewer objects a fresh child touches, the fewer pages it copies."""
        return self._ready(self.fast.syscall, _PRIVATE_CALLS[name][self.column], *arguments)

    def prepared_prctl(self, option: int, value: int) -> Callable[[], None]:
        return self._ready(self.fast.prctl, option, value, 0, 0, 0)

    def _ready(self, function: Any, *arguments: int) -> Callable[[], None]:
        words = [ctypes.c_ulong(argument) for argument in arguments]

        def make() -> None:
            if function(*words):
                raise OSError(f"{function.__name__}{arguments} was refused")

        return make

    def prctl(self, option: int, value: int) -> None:
        zero = ctypes.c_ulong(0)
        if self.libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero) < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))


# ------------------------------------------------------------------------------------------------ privileges


def drop_privileges(kernel: Kernel, keep: int = 0) -> None:
    """Give up capabilities (all but the bits of `keep`), set-uid programs, core dumps and being traced; adopt orphaned
    grandchildren."""
    kernel.prctl(PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(PR_SET_CHILD_SUBREAPER, 1)
    set_capabilities(kernel, keep)
    kernel.prctl(PR_SET_DUMPABLE, 0)


def set_capabilities(kernel: Kernel, bits: int) -> None:
    """The effective and permitted capabilities of this process from now on. Raises OSError."""
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION_3, 0))
    kernel.call("capset", header, ctypes.create_string_buffer(struct.pack("6I", bits, bits, 0, 0, 0, 0)))


def nobody() -> int:
    """A user number (and group number) that owns nothing, this process's alone.

    Where no filter of system calls stops a program from sending signals, whose processes it may signal is all that
    does, and root may signal everybody's. So root's programs run as somebody without other processes. Unusual systems
    (containers with few user numbers) may know none of these.

    Raises
    ------
    LayerMissing
        This process may not become anybody else.
    """
    for number in (_NOBODY_FROM + os.getpid() % _NOBODIES, 65534):
        pid = os.fork()
        if pid == 0:
            try:
                become(number)
                os._exit(0)
            finally:
                os._exit(1)
        if os.waitpid(pid, 0)[1] == 0:
            return number
    raise LayerMissing("as root, programs must run as another user here, and this process may not change its user")


def become(user: int) -> None:
    """Be this user and group for good, and no other group."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def enter_namespaces(kernel: Kernel) -> None:
    """Move this process into user, network, IPC and host-name namespaces of its own, same user number inside."""
    uid, gid = os.getuid(), os.getgid()
    if kernel.libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS):
        code = ctypes.get_errno()
        raise LayerMissing(f"unshare: {os.strerror(code)} (containers often forbid user namespaces)")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


# -------------------------------------------------------------------------------------------------- landlock

_FS_EXECUTE, _FS_WRITE_FILE, _FS_READ_FILE, _FS_READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FS_RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_FS_RIGHTS_LATEST = (1 << 16) - 1
_NET_TCP = 3
_SCOPE_SOCKETS_AND_SIGNALS = 3


def landlock_version(kernel: Kernel) -> int:
    """The kernel's Landlock version. Raises LayerMissing where there is none."""
    try:
        return kernel.call("landlock_create_ruleset", None, ctypes.c_size_t(0), ctypes.c_uint(1))
    except OSError as error:
        raise LayerMissing(f"landlock: {error.strerror} (needs Linux 5.13 with Landlock enabled)") from None


def landlock_ruleset(kernel: Kernel, readable: Iterable[str], listable: Iterable[str] = ()) -> int:
    """A descriptor of the rules: whole trees (or files) to read, folders to list. Everything else is refused."""
    version = landlock_version(kernel)
    rights = _FS_RIGHTS_BY_ABI.get(version, _FS_RIGHTS_LATEST)
    fields = (rights, _NET_TCP if version >= 4 else 0, _SCOPE_SOCKETS_AND_SIGNALS if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", *fields))
    ruleset = kernel.call("landlock_create_ruleset", attributes, ctypes.c_size_t(size), ctypes.c_uint(0))
    for path in readable:
        _allow(kernel, ruleset, path, _FS_READ_FILE | (_FS_READ_DIR if os.path.isdir(path) else 0))
    for path in listable:
        _allow(kernel, ruleset, path, _FS_READ_DIR)
    _allow(kernel, ruleset, os.devnull, _FS_READ_FILE | _FS_WRITE_FILE)
    return ruleset


def _allow(kernel: Kernel, ruleset: int, path: str, rights: int) -> None:
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, target))
        kernel.call("landlock_add_rule", ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint(0))
    finally:
        os.close(target)


def without(folder: str, excluded: Sequence[str]) -> tuple[list[str], list[str]]:
    """(readable, listable) that together open the tree `folder` except the trees in `excluded`.

    Landlock rules can only add, so a folder with something excluded beneath it is opened entry by entry.
    """
    folder = os.path.realpath(folder)
    if folder in excluded:
        return [], []
    if not any(path.startswith(folder.rstrip("/") + "/") for path in excluded):
        return [folder], []
    readable: list[str] = []
    listable = [folder]
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return [], []
    for entry in entries:
        if entry.is_symlink():
            continue
        inner_readable, inner_listable = without(entry.path, excluded)
        readable += inner_readable
        listable += inner_listable
    return readable, [path for path in listable if path == folder or path not in readable]


_PRIVATE_CALLS: dict[str, tuple[int, int]] = {
    "capset": (126, 91),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}
"""Calls this module makes itself."""


# --------------------------------------------------------------------------------------------------- the cage


class Cage:
    """Everything a child needs to be locked up, prepared once in the zygote.

    `wanted` names the layers to use. `missing` afterwards says, for each that could not be had, why. `filter_for` is
    `a1kit.sandbox.seccomp.program` (handed over, because the zygote loads these files by path).
    """

    def __init__(
        self,
        wanted: Sequence[str],
        folders: Sequence[str],
        excluded: Sequence[str],
        packages: Sequence[str],
        filter_for: Callable[[int, bool], bytes],
    ):
        self.kernel, self._filter_for = Kernel(), filter_for
        self.missing: dict[str, str] = {}
        self.active: list[str] = []
        self._ruleset = -1
        self._filter: _Filter | None = None
        self._linux = sys.platform.startswith("linux")
        self._processes: int | None = None
        self._user: int | None = None
        self._before_closing: list[Callable[[], None]] = []
        self._after_closing: list[Callable[[], None]] = []
        if self._linux:
            self._before_closing.append(self.kernel.prepared_prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        self._detail: dict[str, str] = {}
        self._excluded = [os.path.realpath(path) for path in excluded]
        self._folders, self._packages = folders, packages
        for layer, prepare in self._preparations():
            if layer not in wanted:
                self.missing[layer] = "not used at this level"
                continue
            try:
                prepare()
            except LayerMissing as error:
                self.missing[layer] = str(error)
            except OSError as error:
                self.missing[layer] = error.strerror or str(error)
            else:
                self.active.append(layer)

        self.active.sort(key=LAYERS.index)
        if self._filter is None:  # nothing else stops forks
            others = 0 if self._user is not None else _tasks_of_this_user()
            self._processes = others + _SPARE_TASKS if self._linux else 0

    @property
    def details(self) -> dict[str, str]:
        """What is worth saying about active layers, such as Landlock's version."""
        return dict(self._detail)

    def _preparations(self) -> tuple[tuple[str, Callable[[], None]], ...]:
        return (
            ("seccomp", self._seccomp),
            ("namespaces", self._namespaces),
            ("privileges", self._privileges),
            ("landlock", self._landlock),
            ("rlimits", self._rlimits),
        )

    @property
    def _becomes_nobody(self) -> bool:
        """Whether programs must run as another user than this one."""
        return self._filter is None and os.geteuid() == 0

    def _namespaces(self) -> None:
        if not self._linux:
            raise LayerMissing(f"namespaces are Linux's; this is {sys.platform}")
        if self._becomes_nobody:
            raise LayerMissing("as root without seccomp, programs run as another user, which a namespace does not know")
        enter_namespaces(self.kernel)

    def _privileges(self) -> None:
        if self._becomes_nobody:
            self._user = nobody()
            self._detail["user"] = str(self._user)
        if not self._linux:
            raise LayerMissing(f"prctl is Linux's; this is {sys.platform}")
        drop_privileges(self.kernel, _CAN_READ | _CAN_KILL | _CAN_SETGID | _CAN_SETUID if self._becomes_nobody else 0)
        if self._becomes_nobody:
            self.kernel.prctl(_PR_SET_KEEPCAPS, 1)

    def _landlock(self) -> None:
        readable: list[str] = list(self._packages)
        listable: list[str] = [path for path in self._excluded if os.path.isdir(path)]
        for folder in self._folders:
            inner_readable, inner_listable = without(folder, self._excluded)
            readable += inner_readable
            listable += inner_listable
        ruleset = landlock_ruleset(self.kernel, readable, listable)
        self._ruleset = fcntl.fcntl(ruleset, fcntl.F_DUPFD_CLOEXEC, _FIRST_OWN_DESCRIPTOR)
        os.close(ruleset)
        self._before_closing.append(self.kernel.prepared("landlock_restrict_self", self._ruleset, 0))
        self._detail["landlock"] = f"version {landlock_version(self.kernel)}"

    def _seccomp(self) -> None:
        if self.kernel.column < 0:
            raise LayerMissing(f"no system call table for {sys.platform} on {platform.machine()}")
        program = self._filter_for(self.kernel.column, self._ruleset < 0)
        self._program = ctypes.create_string_buffer(program, len(program))
        self._filter = _Filter(len(program) // 8, ctypes.addressof(self._program))
        self._after_closing.append(self.kernel.prepared("seccomp", 1, 0, ctypes.addressof(self._filter)))

    def _rlimits(self) -> None:
        """Limits that are the same for all children are set here, on the zygote, and inherited."""
        limit = resource.setrlimit
        limit(resource.RLIMIT_FSIZE, (0, 0))
        limit(resource.RLIMIT_NOFILE, (_DESCRIPTORS, _DESCRIPTORS))
        limit(resource.RLIMIT_CORE, (0, 0))

    def rehearse(self) -> None:
        """Go through the motions without locking anything, so that a child finds the interpreter's caches filled."""
        before, after, parent = self._before_closing, self._after_closing, os.getppid()
        user, self._user = self._user, None
        harmless = [self.kernel.prepared_prctl(PR_SET_PDEATHSIG, 0)] if self._linux else []
        memory, cpu = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU)
        self._before_closing = self._after_closing = harmless
        for _ in range(10):
            self.confine(parent, _DESCRIPTORS)
            self.seal(_DESCRIPTORS, memory, cpu)
        self._before_closing, self._after_closing, self._user = before, after, user

    def confine(self, parent: int, first_closed: int) -> None:
        """Put the calling child under what is the same for every program, for good: it dies with `parent`, reads no
        files, keeps no descriptor from `first_closed` on. Raises OSError when a layer cannot be applied.
        """
        if self._user is not None:
            self._give_up_root(self._user)
        for layer in self._before_closing:
            layer()
        if os.getppid() != parent:
            os._exit(0)
        os.closerange(first_closed, _DESCRIPTORS)

    def _give_up_root(self, user: int) -> None:
        """Files stay as readable as they are at such a level, or programs could not import what root alone can read."""
        become(user)
        if self._linux:
            set_capabilities(self.kernel, _CAN_READ)
            self.kernel.prctl(PR_SET_DUMPABLE, 0)

    def seal(self, first_closed: int, memory: tuple[int, int], cpu: tuple[int, int]) -> None:
        """The rest, before a program is read: its limits, (soft, hard) bytes and seconds, and last the filter of system
        calls. Raises OSError when a layer cannot be applied.
        """
        os.closerange(first_closed, _DESCRIPTORS)
        if self._linux:  # macOS refuses every allocation, or the limit itself, on some systems
            resource.setrlimit(resource.RLIMIT_AS, memory)
        resource.setrlimit(resource.RLIMIT_CPU, cpu)
        if self._processes is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (self._processes, self._processes))
        for layer in self._after_closing:
            layer()


def _tasks_of_this_user() -> int:
    """Threads that count against this user's RLIMIT_NPROC now."""
    uid, total = os.getuid(), 0
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.stat(f"/proc/{entry}").st_uid == uid:
                    total += len(os.listdir(f"/proc/{entry}/task"))
            except OSError:
                continue
    return total


_SPARE_TASKS = 64
"""Room for a child's threads, and for what else this user starts meanwhile, where only RLIMIT_NPROC stops forks."""

_DESCRIPTORS = 64
"""How many descriptors a zygote and a child may have."""

_FIRST_OWN_DESCRIPTOR = 10
"""Descriptors below are for a child's own arrangement."""

MEMORY_RESERVE = 16 << 20
"""Address space beyond the soft limit, which the child's runner opens to report that memory ran out."""
