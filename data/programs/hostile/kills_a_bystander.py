"""A signal to a process of the same user is not delivered."""
# kind: containment
# topic: signals
# call: attack()
# harms: victim

import os


def attack():
    os.kill(int("@VICTIM@"), 9)
    return "escaped"
