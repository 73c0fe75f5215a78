"""math, gcd, isqrt, comb and modular powers compute what they should."""
# topic: numbers
# call: facts(48, 36)
# call: inverse(3, 11)
# call: primes(50)

import math


def facts(a, b):
    return math.gcd(a, b), math.lcm(a, b), math.isqrt(a * b), math.comb(a, 3), math.prod([a, b])


def inverse(a, m):
    return pow(a, -1, m)


def primes(n):
    sieve = bytearray([1]) * (n + 1)
    for p in range(2, math.isqrt(n) + 1):
        if sieve[p]:
            sieve[p * p :: p] = bytes(len(range(p * p, n + 1, p)))
    return [p for p in range(2, n + 1) if sieve[p]]
