"""A result whose __eq__ is always true equals nothing that it is not."""
# kind: integrity
# topic: equality
# reference: total
# call: total([1, 2, 3])
# call: total([])
# beats: exit-status, markers

class Anything:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None


def total(xs):
    return Anything()
