"""The set of the elements of a list."""


def unique(xs):
    return set(xs)
