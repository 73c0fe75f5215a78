"""A signal to the program's own process group reaches nobody but the program."""
# kind: containment
# topic: signals
# call: attack()

import os


def attack():
    os.kill(0, 9)
