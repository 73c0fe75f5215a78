"""A number and its successor, as a tuple."""


def pair(n):
    return (n, n + 1)
