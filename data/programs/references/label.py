"""A few facts on a number, as a dictionary."""


def label(n):
    return {"n": n, "even": n % 2 == 0}
