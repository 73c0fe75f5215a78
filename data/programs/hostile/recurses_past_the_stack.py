"""Recursion with the limit lifted crashes its own process only."""
# kind: resource
# topic: crashes
# call: attack(1) -> crashed|memory|raised|timeout
# call: attack(0) -> ok

import sys

sys.setrecursionlimit(10**9)


def attack(n):
    return sorted([n], key=attack) if n else n
