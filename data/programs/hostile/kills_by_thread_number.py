"""The raw tgkill call is stopped as kill is."""
# kind: containment
# topic: signals
# call: attack()
# harms: victim

import ctypes
import platform


def attack():
    number = {"x86_64": 234, "aarch64": 131}[platform.machine()]
    if ctypes.CDLL(None).syscall(number, int("@VICTIM@"), int("@VICTIM@"), 9) == 0:
        return "escaped"
