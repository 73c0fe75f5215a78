"""A process of the same user cannot be put to sleep with SIGSTOP."""
# kind: containment
# topic: signals
# call: attack()
# harms: victim

import os
import signal


def attack():
    os.kill(int("@VICTIM@"), signal.SIGSTOP)
    return "escaped"
