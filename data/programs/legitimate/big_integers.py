"""Integers of thousands of digits arrive in full."""
# topic: numbers
# call: factorial(500)
# call: fibonacci(1000)
# call: power(7, 3000)
# call: negative()
# call: mersenne(4423)

import math


def factorial(n):
    return math.factorial(n)


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def power(a, b):
    return a**b


def negative():
    return [-(2**64), 2**63 - 1, -(2**63), 2**53 + 1, -(10**30)]


def mersenne(p):
    return (1 << p) - 1
