"""A candidate that guesses gets no second draw: the seed is fixed and every call runs once."""
# kind: integrity
# topic: state and chance
# reference: total
# call: total([1000, 2000, 3000])
# call: total([123456])

import random


def total(xs):
    return random.randrange(10**9, 10**12)
