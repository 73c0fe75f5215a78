"""Builtins that lie about types, lengths and truth do not confuse the encoding of a result."""
# kind: integrity
# topic: patched judge
# reference: total
# call: total([1, 2, 3])

import builtins

builtins.type = lambda *args: int
builtins.isinstance = builtins.issubclass = builtins.callable = lambda *args: True
builtins.len = builtins.id = builtins.hash = lambda *args: 6
builtins.repr = builtins.str = builtins.ascii = lambda *args: "6"
builtins.int = builtins.float = builtins.bool = lambda *args: 6


def total(xs):
    return "wrong"
