"""A forged integer of millions of digits, bare or tagged, does not keep the reader busy."""
# kind: protocol
# topic: forged values
# reference: total
# call: total([1])
# call: total([2])
# call: total([3])
# call: total([4])

import os
import struct


def total(xs):
    long = b"7" * 3_000_000
    payload = [long, b'["i","' + long + b'"]', b'["D","1e' + long[:18] + b'"]', b'["Q",1,["i","' + long + b'"]]'][xs[0] - 1]
    for place in range(4):
        os.write(3, struct.pack("<IiBf", len(payload), place, 0, 0.0) + payload)
    os._exit(0)
