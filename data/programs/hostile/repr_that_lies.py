"""A result whose repr, str and format spell the right answer is not the right answer."""
# kind: integrity
# topic: equality
# reference: pair
# call: pair(1)

class Spelling:
    def __repr__(self):
        return "(1, 2)"

    __str__ = __repr__

    def __format__(self, spec):
        return "(1, 2)"


def pair(n):
    return Spelling()
