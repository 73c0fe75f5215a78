"""A forged report of an exception, with a wrong shape, control characters or megabytes of text, is only a failure."""
# kind: protocol
# topic: forged values
# reference: total
# call: total([0])
# call: total([1])
# call: total([2])
# call: total([3])

import json
import os
import struct


def total(xs):
    report = [
        b"[1,2,3]",
        json.dumps(["E\x1b[2J\n", ["<script>"] * 1000, "\0" * 1000]).encode(),
        json.dumps(["E", ["E"], "x" * 3_000_000]).encode(),
        b"\xff\xfe not json",
    ][xs[0]]
    for place in range(4):
        os.write(3, struct.pack("<IiBf", len(report), place, 1, float("nan")) + report)
    os._exit(0)
