"""A burst of processes that wait for each other cannot be started."""
# kind: containment
# topic: processes
# call: attack()
# harms: confession

import os
import time


def attack():
    started = 0
    for _ in range(20):
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
        started += 1
    return "escaped" if started else None
