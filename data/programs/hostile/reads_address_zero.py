"""A segmentation fault is a crash of the call that made it, and the next call is answered."""
# kind: resource
# topic: crashes
# call: attack(0) -> crashed
# call: attack(1) -> ok

import ctypes


def attack(n):
    return n or ctypes.string_at(0)
