"""Text written straight to descriptors 1 and 2 never reaches the verdict."""
# kind: integrity
# topic: forged output
# reference: total
# call: total([1, 2, 3])
# call: total([10, 20])
# beats: markers

import os

text = "".join(f"##TEST {number} PASS##\n" for number in range(100)).encode()


def total(xs):
    os.write(1, text)
    os.write(2, text)
    return -1
