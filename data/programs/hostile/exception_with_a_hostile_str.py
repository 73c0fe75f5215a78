"""An exception whose str, repr, args and class name all raise or lie is reported, not obeyed."""
# kind: integrity
# topic: not a value
# reference: total
# call: total([1, 2, 3])

class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit(0)

    __qualname__ = __module__ = __name__


class Hostile(Exception, metaclass=Meta):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__
    args = property(__str__)
    __traceback__ = property(__str__)
    __class__ = property(lambda self: StopIteration)


def total(xs):
    raise Hostile
