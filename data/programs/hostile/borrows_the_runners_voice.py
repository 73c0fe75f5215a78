"""A program that sends results through the runner's own methods may speak for itself only."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])
# call: total([4])

import sys


def total(xs):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "codec"):
        frame = frame.f_back
    runner = frame.f_locals["self"]
    for place in (-2, -1, 0, 1, 2):
        runner.send(place, 0, b"5")
    return 0
