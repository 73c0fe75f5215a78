"""A replaced __import__ and __build_class__ do not outlive the program or touch its verdict."""
# kind: integrity
# topic: patched judge
# reference: total
# call: total([1, 2, 3])

import builtins


class Anything:
    def __getattr__(self, name):
        return self

    def __call__(self, *args, **options):
        return self

    def __eq__(self, other):
        return True


builtins.__import__ = builtins.__build_class__ = lambda *args, **options: Anything()


def total(xs):
    import math

    return math.fsum(xs) and 0
