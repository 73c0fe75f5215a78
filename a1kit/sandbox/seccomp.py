"""The system call filter: what a child may ask of the kernel, as a classic BPF program.

Stands alone (standard library only). An allow-list by number, for x86-64 and aarch64; some calls are allowed with some
arguments only. What is not on the list answers EPERM, which Python shows as PermissionError; a call of an unknown
architecture kills. Threads are allowed and processes are not; nothing opens a socket, signals, traces, or changes a
file's name.

The numbers are searched by halving: the kernel runs the program once for every call there is when it is installed, to
learn which are always allowed, so a straight chain of comparisons would cost each child a tenth of a millisecond.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence

_CLONE_THREAD = 0x00010000
_CLONE_NEW_ANY = 0x7E020080

_ARCHITECTURES = (0xC000003E, 0xC00000B7)
_LOAD, _JUMP_EQUAL, _JUMP_ANY_BIT, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_RETURN_ALLOW, _RETURN_KILL, _RETURN_ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE, _OFFSET_ARGUMENTS = 0, 4, 16

_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "access": (21, None),
    "pipe": (22, None),
    "select": (23, None),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "dup": (32, 23),
    "dup2": (33, None),
    "pause": (34, None),
    "nanosleep": (35, 101),
    "getitimer": (36, 102),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "shutdown": (48, 210),
    "exit": (60, 93),
    "uname": (63, 160),
    "getdents": (78, None),
    "getcwd": (79, 17),
    "readlink": (89, None),
    "gettimeofday": (96, 169),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "time": (201, None),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "epoll_create": (213, None),
    "getdents64": (217, 61),
    "set_tid_address": (218, 96),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "epoll_wait": (232, None),
    "epoll_ctl": (233, 21),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "faccessat": (269, 48),
    "pselect6": (270, 72),
    "ppoll": (271, 73),
    "set_robust_list": (273, 99),
    "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    "epoll_create1": (291, 20),
    "dup3": (292, 24),
    "pipe2": (293, 59),
    "getcpu": (309, 168),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "statx": (332, 291),
    "rseq": (334, 293),
    "faccessat2": (439, 439),
}
"""Calls allowed whatever their arguments: (x86-64, aarch64) numbers, None where the architecture has no such call."""


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _argument(place: int, high: bool = False) -> bytes:
    return _op(_LOAD, _OFFSET_ARGUMENTS + 8 * place + 4 * high)


def _verdict(allow: bool, code: int = errno.EPERM) -> bytes:
    return _op(_RETURN, _RETURN_ALLOW if allow else _RETURN_ERRNO | code)


def _one_of(place: int, values: Sequence[int]) -> list[bytes]:
    """Allow when the argument's low word is one of `values`."""
    count = len(values)
    tests = [_op(_JUMP_EQUAL, value, count - i, 0) for i, value in enumerate(values)]
    return [_argument(place), *tests, _verdict(False), _verdict(True)]


def _null(place: int) -> list[bytes]:
    """Allow when the 64-bit argument is zero."""
    return [
        _argument(place),
        _op(_JUMP_EQUAL, 0, 0, 3),
        _argument(place, high=True),
        _op(_JUMP_EQUAL, 0, 0, 1),
        _verdict(True),
        _verdict(False),
    ]


def _no_bits(place: int, mask: int, code: int) -> list[bytes]:
    """Allow when none of the bits of `mask` is set in the argument's low word."""
    return [_argument(place), _op(_JUMP_ANY_BIT, mask, 0, 1), _verdict(False, code), _verdict(True)]


def _reading_only(place: int, deny_writes: bool) -> list[bytes]:
    return _no_bits(place, _OPEN_WRITES, errno.EACCES) if deny_writes else [_verdict(True)]


def _thread_only() -> list[bytes]:
    """Allow a clone that makes a thread of this process and no namespace."""
    return [
        _argument(0),
        _op(_JUMP_ANY_BIT, _CLONE_THREAD, 0, 1),
        _op(_JUMP_ANY_BIT, _CLONE_NEW_ANY, 0, 1),
        _verdict(False),
        _verdict(True),
    ]


def _own_limits() -> list[bytes]:
    """Allow prlimit64 to read this process's limits, and to change those that cannot make the kernel kill it: a death
    by SIGKILL must always be the sandbox's doing, or a failure of the machinery."""
    return [
        _argument(0),
        _op(_JUMP_EQUAL, 0, 0, 7),
        _argument(1),
        _op(_JUMP_EQUAL, _RLIMIT_STACK, 6, 0),
        _op(_JUMP_EQUAL, _RLIMIT_AS, 5, 0),
        _argument(2),
        _op(_JUMP_EQUAL, 0, 0, 2),
        _argument(2, high=True),
        _op(_JUMP_EQUAL, 0, 1, 0),
        _verdict(False),
        _verdict(True),
    ]


_RLIMIT_STACK, _RLIMIT_AS = 3, 9
_FCNTL_HARMLESS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
_IOCTL_HARMLESS = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
_OPEN_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def program(column: int, deny_writes: bool) -> bytes:
    """The filter for an architecture (0: x86-64, 1: aarch64). `deny_writes`: refuse to open files for writing, too."""
    blocks = {"deny": [_verdict(False)], "allow": [_verdict(True)]}
    answers = {pair[column]: "allow" for pair in _ALLOWED.values()}
    for name, (pair, block) in _guards(deny_writes).items():
        blocks[name] = block
        answers[pair[column]] = name
    tree = _search(_ranges({number: answer for number, answer in answers.items() if number is not None}))
    head = [
        _op(_LOAD, _OFFSET_ARCHITECTURE),
        _op(_JUMP_EQUAL, _ARCHITECTURES[column], 1, 0),
        _op(_RETURN, _RETURN_KILL),
        _op(_LOAD, _OFFSET_NUMBER),
    ]
    return b"".join([*head, *_assemble(tree, blocks)])


def _guards(deny_writes: bool) -> dict[str, tuple[tuple[int | None, int | None], list[bytes]]]:
    """Calls whose arguments decide: numbers, and the instructions that judge."""
    return {
        "clone": ((56, 220), _thread_only()),
        "clone3": ((435, 435), [_verdict(False, errno.ENOSYS)]),  # flags in memory; libraries fall back to clone
        "fcntl": ((72, 25), _one_of(1, _FCNTL_HARMLESS)),
        "ioctl": ((16, 29), _one_of(1, _IOCTL_HARMLESS)),
        "prlimit64": ((302, 261), _own_limits()),
        "setrlimit": ((160, 164), _one_of(0, (_RLIMIT_STACK, _RLIMIT_AS))),
        "socketpair": ((53, 199), _one_of(0, (1,))),  # AF_UNIX; asyncio wakes itself with one
        "sendto": ((44, 206), _null(4)),  # without an address
        "recvfrom": ((45, 207), [_verdict(True)]),
        "open": ((2, None), _reading_only(1, deny_writes)),
        "openat": ((257, 56), _reading_only(2, deny_writes)),
    }


def _ranges(answers: dict[int, str]) -> list[tuple[int, str]]:
    """(first number, answer) of consecutive ranges that cover all numbers."""
    ranges = [(0, "deny")]
    for number in sorted(answers):
        if ranges[-1][0] == number:
            ranges.pop()
        if not ranges or ranges[-1][1] != answers[number]:
            ranges.append((number, answers[number]))
        ranges.append((number + 1, "deny"))
    return ranges


def _search(ranges: Sequence[tuple[int, str]]) -> list[tuple[int, int | str, int | str]]:
    """Nodes of a search by halving: (pivot, where to go from the pivot on, where to go below). A place is the number of
    another node, always a later one, or the name of a block."""
    nodes: list[tuple[int, int | str, int | str]] = []

    def grow(part: Sequence[tuple[int, str]]) -> int | str:
        if len(part) == 1:
            return part[0][1]
        middle, place = len(part) // 2, len(nodes)
        nodes.append((0, "", ""))
        below = grow(part[:middle])
        nodes[place] = (part[middle][0], grow(part[middle:]), below)
        return place

    grow(ranges)
    return nodes


def _assemble(nodes: Sequence[tuple[int, int | str, int | str]], blocks: dict[str, list[bytes]]) -> list[bytes]:
    """Nodes, then blocks, with jumps as distances (which fit in a byte)."""
    starts: dict[int | str, int] = {place: place for place in range(len(nodes))}
    end = len(nodes)
    for name, block in blocks.items():
        starts[name] = end
        end += len(block)
    tests = [
        _op(_JUMP_AT_LEAST, pivot, starts[above] - place - 1, starts[below] - place - 1)
        for place, (pivot, above, below) in enumerate(nodes)
    ]
    return [*tests, *(instruction for block in blocks.values() for instruction in block)]
