"""A program that rewrites the note of when its call began is stopped all the same."""
# kind: protocol
# topic: endings
# reference: total
# call: total([1, 2, 3])

import struct
import sys
import time


def total(xs):
    frame = sys._getframe()
    while frame and not hasattr(frame.f_locals.get("self"), "page"):
        frame = frame.f_back
    page = frame.f_locals["self"].page if frame else bytearray(4096)
    while True:
        for start in (time.process_time(), float("nan"), float("inf"), 1e308, -1.0):
            struct.pack_into("<qdd", page, 0, 1 << 60, start, time.monotonic())
