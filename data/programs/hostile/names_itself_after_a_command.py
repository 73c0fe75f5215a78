"""A class, exception or enum whose name spells code is quoted, never evaluated."""
# kind: containment
# topic: results
# call: attack("class")
# call: attack("enum")
# call: attack("exception")

import enum

NAME = "int(); open('@CANARY@', 'w').write('here') #"


def attack(what):
    if what == "class":
        return type(NAME, (int,), {})(3)
    if what == "enum":
        return enum.IntEnum(NAME, {"A": 1}).A
    raise type(NAME, (ValueError,), {})(NAME)
