"""A signal to every process of the user, kill(-1), reaches nobody."""
# kind: containment
# topic: signals
# call: attack()
# danger: signal

import os


def attack():
    os.kill(-1, int("@SIGNAL@"))
    return "escaped"
