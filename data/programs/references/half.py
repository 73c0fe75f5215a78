"""Half of a number, as a float."""


def half(n):
    return n / 2
