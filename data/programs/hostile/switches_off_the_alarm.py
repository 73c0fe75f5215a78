"""A program that cancels timers and alarms has not cancelled its limits."""
# kind: resource
# topic: time
# call: attack() -> timeout

import signal


def attack():
    while True:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
