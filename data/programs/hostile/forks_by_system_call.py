"""The raw clone call makes no second process."""
# kind: containment
# topic: processes
# call: attack()
# harms: confession

import ctypes
import os
import platform
import signal


def attack():
    libc = ctypes.CDLL(None)
    clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    child = libc.syscall(clone, ctypes.c_long(signal.SIGCHLD), 0, 0, 0, 0)
    if child == 0:
        libc._exit(0)
    if child > 0:
        os.waitpid(child, 0)
        return "escaped"
