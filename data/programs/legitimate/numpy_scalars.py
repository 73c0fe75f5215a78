"""numpy scalars count as the numbers they are."""
# topic: numpy
# call: total([1, 2, 3])
# call: mean([1, 2])
# call: largest([3, 9])
# call: inside()
# requires: numpy

import numpy as np


def total(xs):
    return np.sum(xs)


def mean(xs):
    return np.mean(xs)


def largest(xs):
    return int(np.argmax(xs)), np.max(xs), np.any(np.array(xs) > 5)


def inside():
    return {"a": [np.float64(0.5), np.int32(7)], "b": (np.bool_(True), np.float32(0.25))}
