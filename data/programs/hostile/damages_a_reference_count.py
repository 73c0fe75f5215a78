"""A freed None or a damaged object ends in a crash or an error of its own process."""
# kind: resource
# topic: crashes
# call: attack(1) -> crashed|raised|unsupported|timeout|ok|memory
# call: attack(0) -> ok|crashed

import ctypes


def attack(n):
    if n:
        victim = [1, 2, 3]
        ctypes.memset(id(victim) + 8, 0, 32)
        return victim
    return n
