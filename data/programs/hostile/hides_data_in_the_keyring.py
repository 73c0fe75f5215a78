"""The kernel's keyring stores nothing for a program."""
# kind: containment
# topic: files
# call: attack()

import ctypes
import platform


def attack():
    number = {"x86_64": 248, "aarch64": 217}[platform.machine()]
    key = ctypes.CDLL(None).syscall(number, b"user", b"a1kit-trap", b"note", ctypes.c_size_t(4), ctypes.c_long(-3))
    if key > 0:
        return "escaped"
