"""A regular expression with exponential backtracking is ended."""
# kind: resource
# topic: time
# call: attack(64) -> timeout
# call: attack(4) -> ok

import re


def attack(n):
    return bool(re.match(r"(a|a)*$", "a" * n + "b"))
