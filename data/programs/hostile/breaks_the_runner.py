"""A program that takes apart the code that runs it gets crashes, not passes, and no failure of the machinery."""
# kind: protocol
# topic: endings
# reference: total
# call: total([1, 2, 3])
# call: total([4])

import sys


def total(xs):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "codec"):
        frame = frame.f_back
    runner = frame.f_locals["self"]
    for name in list(vars(runner)):
        setattr(runner, name, None)
    return 0
