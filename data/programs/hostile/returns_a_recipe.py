"""A function, a partial or a lambda that would compute the answer is not the answer."""
# kind: integrity
# topic: not a value
# reference: total
# call: total([1, 2, 3])
# call: total([4])

import functools


def total(xs):
    return functools.partial(sum, xs) if len(xs) > 1 else lambda: sum(xs)
