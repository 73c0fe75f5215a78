"""nan, the infinities, minus zero and the smallest and largest floats arrive as they are."""
# topic: numbers
# call: special()
# call: extremes()
# call: sign(-0.0)
# call: ratio(1, 3)

import math
import sys


def special():
    return [float("nan"), math.inf, -math.inf, -0.0, 0.0]


def extremes():
    return [sys.float_info.max, sys.float_info.min, 5e-324, sys.float_info.epsilon, 0.1 + 0.2]


def sign(x):
    return math.copysign(1, x)


def ratio(a, b):
    return a / b
