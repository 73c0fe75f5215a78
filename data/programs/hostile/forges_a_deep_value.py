"""A forged value nested a million deep does not exhaust the reader's stack."""
# kind: protocol
# topic: forged values
# reference: arrange
# call: arrange([1, 2])
# call: arrange([3, 4])

import os
import struct


def arrange(xs):
    nests = [b"[" * 1_000_000 + b"]" * 1_000_000, b'["l",' * 200_000 + b"0" + b"]" * 200_000]
    payload = nests[xs[0] > 1]
    for place in range(4):
        os.write(3, struct.pack("<IiBf", len(payload), place, 0, 0.0) + payload)
    os._exit(0)
