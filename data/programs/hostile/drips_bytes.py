"""A frame sent one byte at a time is read at leisure and ended on time."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])

import os
import struct


def total(xs):
    os.write(3, struct.pack("<IiBf", 1 << 20, 0, 0, 0.0))
    while True:
        os.write(3, b"6")
