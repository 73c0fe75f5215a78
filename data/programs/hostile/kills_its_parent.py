"""The process that started the program cannot be killed by it."""
# kind: containment
# topic: signals
# call: attack()
# danger: signal

import os


def attack():
    os.kill(os.getppid(), int("@SIGNAL@"))
    return "escaped"
