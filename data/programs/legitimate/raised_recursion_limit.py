"""A program may raise the recursion limit and recurse a few thousand levels."""
# topic: control flow
# call: depth(3000)

import sys

sys.setrecursionlimit(10_000)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
