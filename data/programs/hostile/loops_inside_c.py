"""A loop inside C code, which looks at no signal, is ended."""
# kind: resource
# topic: time
# call: attack(10**12) -> timeout
# call: attack(10) -> ok

from collections import deque
from itertools import repeat


def attack(n):
    deque(repeat(None, n), maxlen=0)
    return n
