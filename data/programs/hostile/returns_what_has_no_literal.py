"""Functions, modules, classes, files and frames are not values, and the calls around them are answered."""
# kind: resource
# topic: results
# call: attack(0) -> unsupported
# call: attack(1) -> unsupported
# call: attack(2) -> unsupported|ok
# call: attack(3) -> unsupported
# call: attack(4) -> ok

import sys


def attack(n):
    return [attack, sys, type, sys._getframe(), 4][n]
