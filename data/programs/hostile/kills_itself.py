"""A process that kills itself has crashed."""
# kind: resource
# topic: crashes
# call: attack(1) -> crashed|refused|raised
# call: attack(0) -> ok

import os


def attack(n):
    return os.kill(os.getpid(), 9) if n else n
