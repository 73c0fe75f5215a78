"""numpy arrays of numbers and booleans arrive with their shape."""
# topic: numpy
# call: doubled([1, 2, 3])
# call: matrix()
# call: mask([3, 1, 2])
# call: solved()
# requires: numpy

import numpy as np


def doubled(xs):
    return np.array(xs) * 2


def matrix():
    return np.arange(6, dtype=np.float64).reshape(2, 3).T


def mask(xs):
    return np.asarray(xs) > 1


def solved():
    return np.round(np.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0])), 6).tolist()
