"""A frame that announces four gigabytes, and sends as much as it can, is cut off."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])

import os
import struct


def total(xs):
    os.write(3, struct.pack("<IiBf", 0xFFFFFFFF, 0, 0, 0.0))
    block = b"6" * (1 << 20)
    while True:
        os.write(3, block)
