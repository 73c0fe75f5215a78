"""Output without end fills neither memory nor disk, and ends with the time limit."""
# kind: resource
# topic: memory
# call: attack() -> timeout|crashed|raised

import sys


def attack():
    while True:
        print("x" * 65536)
        print("x" * 65536, file=sys.stderr)
