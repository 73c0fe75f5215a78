"""An object whose __class__ claims to be int is not encoded as an int."""
# kind: integrity
# topic: equality
# reference: total
# call: total([1, 2, 3])
# beats: exit-status, markers

class Pretender:
    @property
    def __class__(self):
        return int

    def __eq__(self, other):
        return isinstance(self, int)

    def __int__(self):
        return 6

    __index__ = __int__


def total(xs):
    return Pretender()
