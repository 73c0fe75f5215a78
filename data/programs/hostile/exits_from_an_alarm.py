"""An alarm handler that exits with status 0 in the middle of a call is not a result."""
# kind: integrity
# topic: exits
# reference: total
# call: total([1, 2, 3])
# beats: exit-status

import os
import signal

signal.signal(signal.SIGALRM, lambda *args: os._exit(0))


def total(xs):
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    while True:
        pass
