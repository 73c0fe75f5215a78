"""Code hidden in the text of a forged number, type, array or exception stays text."""
# kind: protocol
# topic: forged values
# reference: total
# call: total([0])
# call: total([1])
# call: total([2])
# call: total([3])
# call: total([4])

import json
import sys

CODE = "1') or open('@CANARY@', 'w').write('here') or ('"
FORGED = [["D", CODE], ["T", CODE], ["np", CODE, ["l", 1], ["l", 1]], ["x", CODE], ["date", CODE]]


def total(xs):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "codec"):
        frame = frame.f_back
    frame.f_locals["self"].codec.dumps = lambda value: json.dumps(value).encode()
    return FORGED[xs[0]]
