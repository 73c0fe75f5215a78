"""Results for calls that were never made are thrown away."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])

import os
import struct


def total(xs):
    for place in (1, 2, 1000, 2**31 - 1, -3, -(2**31)):
        os.write(3, struct.pack("<IiBf", 1, place, 0, 0.0) + b"6")
    os._exit(0)
