"""An audit hook that raises on every event spoils its own program only."""
# kind: integrity
# topic: traces and hooks
# reference: total
# call: total([1, 2, 3])
# call: total([4])

import sys


def refuse(event, args):
    raise RuntimeError("not while I am here")


sys.addaudithook(refuse)


def total(xs):
    return 0
