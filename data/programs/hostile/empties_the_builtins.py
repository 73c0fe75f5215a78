"""A program that deletes every builtin gets errors, not passes, and hurts nobody after it."""
# kind: integrity
# topic: patched judge
# reference: total
# call: total([1, 2, 3])
# call: total([4])

import builtins


def total(xs):
    for name in list(vars(builtins)):
        delattr(builtins, name)
    return 0
