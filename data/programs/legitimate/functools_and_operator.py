"""reduce, partial, singledispatch, cmp_to_key and the operator module work."""
# topic: functools
# call: product([2, 3, 4])
# call: binary("101")
# call: described(3, "x", [1])
# call: largest_number([3, 30, 34, 5, 9])
# call: picked([{"a": 2}, {"a": 1}])

import operator
from functools import cmp_to_key, partial, reduce, singledispatch


def product(xs):
    return reduce(operator.mul, xs, 1)


def binary(text):
    return partial(int, base=2)(text)


@singledispatch
def kind(value):
    return "something"


@kind.register
def _(value: int):
    return "number"


@kind.register
def _(value: str):
    return "text"


def described(*values):
    return [kind(value) for value in values]


def largest_number(numbers):
    order = cmp_to_key(lambda a, b: (a + b < b + a) - (a + b > b + a))
    return "".join(sorted(map(str, numbers), key=order))


def picked(rows):
    return sorted(rows, key=operator.itemgetter("a"))
