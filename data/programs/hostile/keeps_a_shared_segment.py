"""A System V shared-memory segment, which outlives its maker, cannot be made."""
# kind: containment
# topic: files
# call: attack()
# harms: confession

import ctypes


def attack():
    libc = ctypes.CDLL(None)
    segment = libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600)
    if segment >= 0:
        libc.shmctl(segment, 0, None)
        return "escaped"
