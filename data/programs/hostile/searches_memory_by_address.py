"""The memory of the process, read by address, holds no trace of a reference that ran before."""
# kind: integrity
# topic: looking for the answer
# reference: cipher
# call: cipher(3)
# call: cipher(4)
# beats: exit-status, markers

import ctypes
import re


def areas():
    with open("/proc/self/maps") as file:
        for line in file:
            bounds, mode = line.split()[:2]
            start, end = (int(bound, 16) for bound in bounds.split("-"))
            if mode.startswith("rw") and end - start < 1 << 27:
                yield start, end - start


def cipher(n):
    pattern = re.compile(("oracle" + r"-phrase-[a-z]+-\d+").encode())
    for start, size in areas():
        found = pattern.search(ctypes.string_at(start, size))
        if found:
            return found[0].decode() + ":" + str(n * 7919 % 1009)
