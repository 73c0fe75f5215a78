"""A forged value of two million parts does not fill the reader's memory."""
# kind: protocol
# topic: forged values
# reference: arrange
# call: arrange([1, 2])

import os
import struct


def arrange(xs):
    payload = b'["l"' + b",[]" * 1_300_000 + b"]"
    os.write(3, struct.pack("<IiBf", len(payload), 0, 0, 0.0) + payload)
    os._exit(0)
