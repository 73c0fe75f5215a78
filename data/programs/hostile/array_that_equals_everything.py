"""A numpy array subclass with an agreeable __eq__ counts as the numbers it holds."""
# kind: integrity
# topic: equality
# reference: arrange
# call: arrange([3, 1, 2])
# requires: numpy
# beats: exit-status, markers

import numpy


class Agreeable(numpy.ndarray):
    def __eq__(self, other):
        return True

    def tolist(self):
        return [1, 2, 3]


def arrange(xs):
    return numpy.zeros(3).view(Agreeable)
