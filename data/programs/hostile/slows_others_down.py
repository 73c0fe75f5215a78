"""The priority and the processors of another process cannot be changed."""
# kind: containment
# topic: signals
# call: attack()
# harms: confession

import os


def attack():
    try:
        os.setpriority(os.PRIO_PROCESS, int("@VICTIM@"), 19)
    except OSError:
        os.sched_setaffinity(int("@VICTIM@"), {0})
    return "escaped"
