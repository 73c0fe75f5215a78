"""Results sent for later calls before earlier ones count for none, or for the calls they name."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1])
# call: total([2])
# call: total([3])

import os
import struct


def total(xs):
    for place, value in ((2, b"1"), (1, b"3"), (0, b"2")):
        os.write(3, struct.pack("<IiBf", 1, place, 0, 0.0) + value)
    os._exit(0)
