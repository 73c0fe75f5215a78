"""Classes that define __eq__, __hash__, __lt__ and __repr__ for good reasons work."""
# topic: classes
# call: distinct([1, -1, 2])
# call: sorted_names()
# call: shown()

from functools import total_ordering


@total_ordering
class Magnitude:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return abs(self.number) == abs(other.number)

    def __lt__(self, other):
        return abs(self.number) < abs(other.number)

    def __hash__(self):
        return hash(abs(self.number))

    def __repr__(self):
        return f"|{self.number}|"


def distinct(numbers):
    return len({Magnitude(number) for number in numbers})


def sorted_names():
    return [m.number for m in sorted(map(Magnitude, [-3, 2, -1]))]


def shown():
    return repr(Magnitude(-7))
