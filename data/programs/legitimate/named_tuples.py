"""A named tuple is a tuple, from collections and from typing."""
# topic: classes
# call: mean_point([(0, 0), (2, 4)])
# call: newest()

from collections import namedtuple
from typing import NamedTuple

Point = namedtuple("Point", "x y")


class Release(NamedTuple):
    major: int
    minor: int = 0
    name: str = "none"


def mean_point(points):
    points = [Point(*point) for point in points]
    return Point(sum(p.x for p in points) / len(points), sum(p.y for p in points) / len(points))


def newest():
    return max(Release(1, 2), Release(1, 10, "ten"))
