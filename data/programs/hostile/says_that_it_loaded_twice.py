"""Reports of loading well, badly and well again add up to no result."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])

import os
import struct

for kind, text in ((0, b""), (5, b'["SyntaxError",[],"no"]'), (1, b'["E",[],""]'), (0, b"")) * 3:
    os.write(3, struct.pack("<IiBf", len(text), -1, kind, 0.0) + text)


def total(xs):
    return 0
