"""sys.exit(0) inside a call is an exception, not a success."""
# kind: integrity
# topic: exits
# reference: total
# call: total([1, 2, 3])
# call: total([10, 20])
# beats: exit-status

import sys


def total(xs):
    sys.exit(0)
