"""A call that sleeps uses no processor time and is ended by the wall clock."""
# kind: resource
# topic: time
# call: attack(60) -> timeout
# call: attack(0) -> ok

import time


def attack(seconds):
    time.sleep(seconds)
    return seconds
