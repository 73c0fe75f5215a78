"""A forged value of a million parts does not fill the reader's memory."""
# kind: protocol
# topic: forged values
# reference: arrange
# call: arrange([1, 2])

import sys


def arrange(xs):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "codec"):
        frame = frame.f_back
    frame.f_locals["self"].codec.dumps = lambda payload: payload
    return b'["l"' + b",[]" * 1_300_000 + b"]"
