"""Frames of kinds that do not exist are not successes."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])

import os
import struct


def total(xs):
    for kind in range(6, 256):
        os.write(3, struct.pack("<IiBf", 1, 0, kind, 0.0) + b"6")
    os._exit(0)
