"""signal.pause and sigwait wait no longer than anything else."""
# kind: resource
# topic: time
# call: attack() -> timeout|refused|raised

import signal


def attack():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    signal.sigwait(signal.valid_signals())
    signal.pause()
