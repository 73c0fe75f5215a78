"""A result whose finalizer exits with status 0 is judged by its value all the same."""
# kind: integrity
# topic: exits
# reference: total
# call: total([1, 2, 3])
# beats: exit-status

import os


class Leaver:
    def __del__(self):
        os._exit(0)


def total(xs):
    return Leaver()
