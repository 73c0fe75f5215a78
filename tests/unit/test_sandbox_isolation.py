"""Isolation as data: the system call filter says yes and no to the right calls on both architectures, and the tree that
may be read leaves out what it must."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

import pytest

from a1kit.sandbox import isolation, seccomp

X86_64, AARCH64 = 0, 1
ALLOW, KILL = "allow", "kill"

NUMBERS = {
    # name: (x86-64, aarch64), from the kernel's own tables
    "read": (0, 63),
    "mmap": (9, 222),
    "futex": (202, 98),
    "getrandom": (318, 278),
    "exit_group": (231, 94),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "memfd_create": (319, 279),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "chroot": (161, 51),
    "prctl": (157, 167),
    "seccomp": (317, 277),
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "unlinkat": (263, 35),
    "mkdirat": (258, 34),
    "renameat": (264, 38),
    "linkat": (265, 37),
    "fchmodat": (268, 53),
    "truncate": (76, 45),
    "openat2": (437, 437),
    "setsid": (112, 157),
    "timer_create": (222, 107),
    "shmget": (29, 194),
    "mq_open": (240, 180),
    "inotify_init1": (294, 26),
    "personality": (135, 92),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "capset": (126, 91),
    "setuid": (105, 146),
    "pkey_mprotect": (329, 288),
    "vmsplice": (316, 75),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prlimit64": (302, 261),
    "setrlimit": (160, 164),
    "socketpair": (53, 199),
    "sendto": (44, 206),
    "openat": (257, 56),
}
HARMLESS = ("read", "mmap", "futex", "getrandom", "exit_group")
ARGUED = ("clone", "clone3", "fcntl", "ioctl", "prlimit64", "setrlimit", "socketpair", "sendto", "openat")
FORBIDDEN = tuple(name for name in NUMBERS if name not in HARMLESS + ARGUED)


def decide(column: int, name: str, *arguments: int, deny_writes: bool = False, machine: int | None = None) -> str | int:
    """Run the filter on one system call as the kernel would: ALLOW, KILL, or the errno it answers."""
    number = NUMBERS[name][column]
    assert number is not None
    return run(seccomp.program(column, deny_writes), machine or (0xC000003E, 0xC00000B7)[column], number, arguments)


def run(program: bytes, machine: int, number: int, arguments: tuple[int, ...]) -> str | int:
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, machine, 0, *(value % 2**64 for value in padded))
    code = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
    accumulator = at = 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x15:
            at += if_true if accumulator == value else if_false
        elif operation == 0x45:
            at += if_true if accumulator & value else if_false
        elif operation == 0x35:
            at += if_true if accumulator >= value else if_false
        elif operation == 0x06:
            return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(value, value & 0xFFFF)
        else:
            raise AssertionError(f"an instruction the test does not know: {operation:#x}")


columns = pytest.mark.parametrize("column", [X86_64, AARCH64], ids=["x86-64", "aarch64"])


@columns
@pytest.mark.parametrize("name", HARMLESS)
def test_what_every_program_needs_is_allowed(column: int, name: str) -> None:
    assert decide(column, name) == ALLOW


@columns
@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_reaches_outside_the_process_is_refused(column: int, name: str) -> None:
    if NUMBERS[name][column] is None:
        pytest.skip("this architecture has no such call")
    assert decide(column, name) == errno.EPERM


@columns
def test_a_thread_is_allowed_and_a_process_is_not(column: int) -> None:
    thread = 0x3D0F00  # what pthread_create asks for
    assert decide(column, "clone", thread) == ALLOW
    assert decide(column, "clone", 17) == errno.EPERM  # SIGCHLD: a fork
    assert decide(column, "clone", 0x4100 | 17) == errno.EPERM  # vfork
    assert decide(column, "clone", thread | 0x10000000) == errno.EPERM  # with a new user namespace


@columns
def test_clone3_is_absent_so_that_libraries_fall_back_to_what_can_be_judged(column: int) -> None:
    assert decide(column, "clone3") == errno.ENOSYS


@columns
def test_a_descriptor_cannot_be_made_to_send_signals(column: int) -> None:
    assert decide(column, "fcntl", 3, 3) == ALLOW  # F_GETFL
    for command in (8, 10, 15):  # F_SETOWN, F_SETSIG, F_SETOWN_EX
        assert decide(column, "fcntl", 3, command) == errno.EPERM
    for command in (0x8901, 0x8902, 0x5412):  # FIOSETOWN, SIOCSPGRP, TIOCSTI
        assert decide(column, "ioctl", 3, command) == errno.EPERM


@columns
def test_limits_may_be_read_and_only_those_changed_that_cannot_kill(column: int) -> None:
    assert decide(column, "prlimit64", 0, 0, 0, 0x7000) == ALLOW
    assert decide(column, "prlimit64", 0, 3, 0x7000) == ALLOW  # stack
    assert decide(column, "prlimit64", 0, 9, 0x7000) == ALLOW  # address space
    assert decide(column, "prlimit64", 0, 0, 0x7000) == errno.EPERM  # processor time
    assert decide(column, "prlimit64", 0, 0, 0x7000_0000_0000) == errno.EPERM
    assert decide(column, "prlimit64", 1, 9, 0, 0x7000) == errno.EPERM  # of another process
    assert decide(column, "setrlimit", 9) == ALLOW
    assert decide(column, "setrlimit", 0) == errno.EPERM


@columns
def test_a_socket_pair_may_talk_to_itself_and_to_nobody_else(column: int) -> None:
    assert decide(column, "socketpair", 1) == ALLOW
    assert decide(column, "socketpair", 2) == errno.EPERM
    assert decide(column, "sendto", 3, 0x7000, 1, 0, 0) == ALLOW
    assert decide(column, "sendto", 3, 0x7000, 1, 0, 0x7000) == errno.EPERM
    assert decide(column, "sendto", 3, 0x7000, 1, 0, 0x7000 << 32) == errno.EPERM


@columns
def test_without_landlock_the_filter_itself_refuses_to_open_files_for_writing(column: int) -> None:
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND):
        assert decide(column, "openat", 0, 0, flags, deny_writes=True) == errno.EACCES
        assert decide(column, "openat", 0, 0, flags) == ALLOW
    assert decide(column, "openat", 0, 0, os.O_RDONLY, deny_writes=True) == ALLOW


@columns
def test_calls_of_another_architecture_kill(column: int) -> None:
    assert decide(column, "read", machine=0x40000003) == KILL  # 32-bit x86


def test_the_second_numbering_of_x86_64_is_refused() -> None:
    program = seccomp.program(X86_64, False)
    assert run(program, 0xC000003E, 0x40000000, ()) == errno.EPERM
    assert run(program, 0xC000003E, -1, ()) == errno.EPERM


@columns
def test_every_allowed_call_is_reachable_in_the_filter(column: int) -> None:
    program = seccomp.program(column, False)
    machine = (0xC000003E, 0xC00000B7)[column]
    for name, pair in seccomp._ALLOWED.items():
        if pair[column] is not None:
            assert run(program, machine, pair[column], ()) == ALLOW, name
    assert len(program) // 8 < 256, "jumps are a byte"


@columns
def test_no_number_outside_the_lists_is_let_through(column: int) -> None:
    program = seccomp.program(column, False)
    machine = (0xC000003E, 0xC00000B7)[column]
    listed = {pair[column] for pair in seccomp._ALLOWED.values()} | {NUMBERS[name][column] for name in ARGUED}
    listed |= {(45, 207)[column], (2, None)[column]}  # recvfrom, open
    passed = {number for number in range(1024) if run(program, machine, number, (0,) * 6) != errno.EPERM}
    assert passed <= listed


def test_a_tree_without_its_excluded_part_is_opened_entry_by_entry(tmp_path: Path) -> None:
    for name in ("lib/python/a.py", "lib/python/site-packages/secret.py", "lib/other/b.so"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    excluded = [str(tmp_path / "lib/python/site-packages")]
    readable, listable = isolation.without(str(tmp_path / "lib"), excluded)
    assert readable == [str(tmp_path / "lib/other"), str(tmp_path / "lib/python/a.py")]
    assert listable == [str(tmp_path / "lib"), str(tmp_path / "lib/python")]


def test_a_link_does_not_open_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "lib/closed").mkdir(parents=True)
    (tmp_path / "lib/way").symlink_to(tmp_path / "lib/closed")
    readable, _ = isolation.without(str(tmp_path / "lib"), [str(tmp_path / "lib/closed")])
    assert readable == []


def test_an_excluded_folder_itself_is_not_opened(tmp_path: Path) -> None:
    assert isolation.without(str(tmp_path), [str(tmp_path)]) == ([], [])
