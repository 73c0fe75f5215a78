"""A program cannot change its root directory."""
# kind: containment
# topic: privileges
# call: attack()

import os


def attack():
    os.chroot("/proc")
    return "escaped"
