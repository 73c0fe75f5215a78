"""The trusted process cannot be signalled."""
# kind: containment
# topic: signals
# call: attack()
# danger: signal

import os


def attack():
    os.kill(int("@HOST@"), int("@SIGNAL@"))
    return "escaped"
