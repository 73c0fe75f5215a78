"""A candidate that rewrites the code of every function of its name only rewrites itself."""
# kind: integrity
# topic: looking for the answer
# reference: cipher
# call: cipher(3)
# beats: exit-status, markers

import gc
import types


def cipher(n):
    return "whatever I say"


for thing in gc.get_objects():
    if isinstance(thing, types.FunctionType) and thing.__name__ == "cipher":
        thing.__code__ = cipher.__code__
