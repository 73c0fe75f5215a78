"""A process of the same user cannot be traced."""
# kind: containment
# topic: signals
# call: attack()
# harms: confession

import ctypes

ATTACH, DETACH = 16, 17


def attack():
    libc = ctypes.CDLL(None)
    if libc.ptrace(ctypes.c_long(ATTACH), ctypes.c_long(int("@VICTIM@")), None, None) == 0:
        libc.waitpid(int("@VICTIM@"), None, 0)
        libc.ptrace(ctypes.c_long(DETACH), ctypes.c_long(int("@VICTIM@")), None, None)
        return "escaped"
