"""A list in ascending order."""


def arrange(xs):
    result = list(xs)
    result.sort()
    return result
