"""A frame that stops in the middle holds nobody up longer than the limits allow."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])

import os
import struct


def total(xs):
    os.write(3, struct.pack("<IiBf", 100, 0, 0, 0.0) + b"6")
    while True:
        pass
