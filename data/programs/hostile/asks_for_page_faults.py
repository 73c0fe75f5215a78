"""The kernel hands out no descriptor that would let a program stall page faults."""
# kind: containment
# topic: privileges
# call: attack()

import ctypes
import platform


def attack():
    number = {"x86_64": 323, "aarch64": 282}[platform.machine()]
    if ctypes.CDLL(None).syscall(number, 0) >= 0:
        return "escaped"
