"""Fractions stay fractions."""
# topic: numbers
# call: harmonic(10)
# call: nearest(3.14159, 100)

from fractions import Fraction


def harmonic(n):
    return sum(Fraction(1, k) for k in range(1, n + 1))


def nearest(x, limit):
    return Fraction(x).limit_denominator(limit)
