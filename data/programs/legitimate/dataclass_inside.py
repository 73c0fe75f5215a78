"""Dataclasses, frozen, ordered and slotted, work inside a program."""
# topic: classes
# call: nearest([(3, 4), (1, 1)])
# call: as_dictionary()
# call: replaced()

from dataclasses import asdict, dataclass, field, replace


@dataclass(frozen=True, order=True, slots=True)
class Point:
    distance: float
    x: int = field(compare=False)
    y: int = field(compare=False)


def nearest(points):
    best = min(Point((x * x + y * y) ** 0.5, x, y) for x, y in points)
    return best.x, best.y


def as_dictionary():
    return asdict(Point(5.0, 3, 4))


def replaced():
    return replace(Point(1.0, 2, 3), x=9).x
