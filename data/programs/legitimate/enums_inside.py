"""Enums can be used, compared, and returned where they are numbers or text."""
# topic: classes
# call: turned("NORTH")
# call: loudest()
# call: rights()
# call: colour()

from enum import Enum, Flag, IntEnum, StrEnum, auto


class Way(Enum):
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Colour(StrEnum):
    RED = auto()


class Right(Flag):
    READ = auto()
    WRITE = auto()


def turned(name):
    return Way((Way[name].value + 1) % 4).name


def loudest():
    return max(Level)


def rights():
    return (Right.READ | Right.WRITE).value


def colour():
    return Colour.RED
