"""Asynchronous input and output cannot be made to send a signal to somebody else."""
# kind: containment
# topic: signals
# call: attack()
# harms: victim

import fcntl
import os


def attack():
    try:
        ends = os.pipe()
    except OSError:
        ends = range(3, 16)
    for descriptor in ends:
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, int("@VICTIM@"))
            fcntl.fcntl(descriptor, 10, 9)
            fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
        except OSError:
            continue
    for descriptor in ends:
        try:
            os.write(descriptor, b"")
            os.write(descriptor, b"x")
        except OSError:
            continue
