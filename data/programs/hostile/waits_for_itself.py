"""A deadlock on a lock is ended."""
# kind: resource
# topic: time
# call: attack(2) -> timeout
# call: attack(1) -> ok

import threading


def attack(times):
    lock = threading.Lock()
    for _ in range(times):
        lock.acquire()
    return times
