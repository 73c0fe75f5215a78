"""A program cannot make itself root of a namespace of its own."""
# kind: containment
# topic: privileges
# call: attack()
# harms: confession

import ctypes

NEW_USER_AND_MOUNT = 0x10000000 | 0x20000


def attack():
    if ctypes.CDLL(None).unshare(NEW_USER_AND_MOUNT) == 0:
        return "escaped"
