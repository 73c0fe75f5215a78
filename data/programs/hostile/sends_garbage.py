"""Random bytes on the result descriptor are not results."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])
# call: total([4])

import os


def total(xs):
    os.write(3, os.urandom(65536))
    return 0
