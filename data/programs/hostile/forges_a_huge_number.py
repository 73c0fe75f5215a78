"""A forged integer of hundreds of thousands of digits, bare or tagged, does not keep the reader busy."""
# kind: protocol
# topic: forged values
# reference: total
# call: total([1])
# call: total([2])
# call: total([3])
# call: total([4])

import sys

LONG = b"7" * 900_000
NUMBERS = [LONG, b'["i","' + LONG + b'"]', b'["D","1e' + LONG[:18] + b'"]', b'["Q",1,["i","' + LONG + b'"]]']


def total(xs):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "codec"):
        frame = frame.f_back
    frame.f_locals["self"].codec.dumps = lambda payload: payload
    return NUMBERS[xs[0] - 1]
