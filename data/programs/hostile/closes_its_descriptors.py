"""A program that closes every descriptor, that of its results included, has no results."""
# kind: resource
# topic: results
# call: attack() -> crashed|raised|unsupported|timeout
# call: attack()

import os


def attack():
    os.closerange(0, 1024)
    return 1
