"""Complex numbers arrive with both parts."""
# topic: numbers
# call: roots(1, 2, 5)
# call: polar(3 + 4j)
# call: signed()

import cmath


def roots(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)


def polar(z):
    return [abs(z), z.conjugate(), cmath.phase(z)]


def signed():
    return complex(-0.0, float("inf"))
