"""A set of integers that all hash to zero slows down nobody but its maker."""
# kind: resource
# topic: results
# call: attack(400) -> ok
# call: attack(3) -> ok

import sys


def attack(n):
    return {k * sys.hash_info.modulus for k in range(n)}
