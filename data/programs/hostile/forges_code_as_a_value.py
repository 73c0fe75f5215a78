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
import os
import struct

CODE = "1') or open('@CANARY@', 'w').write('here') or ('"


def total(xs):
    value = [["D", CODE], ["T", CODE], ["np", CODE, ["l", 1], ["l", 1]], ["x", CODE], ["date", CODE]][xs[0]]
    payload = json.dumps(value).encode()
    os.write(3, struct.pack("<IiBf", len(payload), xs[0], 0, 0.0) + payload)
    os._exit(0)
