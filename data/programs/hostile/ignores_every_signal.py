"""A loop that ignores and blocks every signal it can is ended all the same."""
# kind: resource
# topic: time
# call: attack() -> timeout

import signal


def attack():
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
