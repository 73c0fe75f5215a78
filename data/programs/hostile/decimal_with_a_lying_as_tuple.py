"""A Decimal subclass that spells another number through its methods counts as the number it holds."""
# kind: integrity
# topic: equality
# reference: total
# call: total([1, 2, 3])
# beats: exit-status, markers

from decimal import Decimal


class Liar(Decimal):
    def __str__(self):
        return "6"

    __repr__ = to_eng_string = __str__

    def as_tuple(self):
        return Decimal(6).as_tuple()

    def __eq__(self, other):
        return True

    __hash__ = Decimal.__hash__


def total(xs):
    return Liar(0)
