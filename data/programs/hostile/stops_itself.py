"""A process that stops itself with SIGSTOP is ended by the wall clock."""
# kind: resource
# topic: time
# call: attack() -> timeout|refused|raised|crashed

import os
import signal


def attack():
    os.kill(os.getpid(), signal.SIGSTOP)
