"""Entropy from the system, the clock and the hash seed still only makes a guess."""
# kind: integrity
# topic: state and chance
# reference: total
# call: total([1000, 2000, 3000])

import os
import time


def total(xs):
    return hash((os.urandom(8), time.time_ns(), str(xs))) | 1 << 62
