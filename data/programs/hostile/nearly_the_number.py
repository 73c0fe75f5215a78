"""A float that differs in the last bit does not pass an exact test."""
# kind: integrity
# topic: near misses
# reference: half
# call: half(5)

import math


def half(n):
    return math.nextafter(n / 2, math.inf)
