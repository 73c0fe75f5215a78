"""An IntEnum member whose value attribute was overwritten counts as the int it holds."""
# kind: integrity
# topic: equality
# reference: total
# call: total([1, 2, 3])

import enum


class Level(enum.IntEnum):
    LOW = 0


Level.LOW._value_ = 6


def total(xs):
    return Level.LOW
