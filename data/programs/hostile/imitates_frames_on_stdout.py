"""Text on stdout and stderr that looks like results is text."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])

import os
import struct


def total(xs):
    for descriptor in (0, 1, 2):
        os.write(descriptor, struct.pack("<IiBf", 1, 0, 0, 0.0) + b"6")
    os._exit(0)
