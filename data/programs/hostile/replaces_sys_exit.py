"""A patched sys.exit, os._exit and assertion machinery cannot soften a verdict."""
# kind: integrity
# topic: exits
# reference: total
# call: total([1, 2, 3])
# beats: exit-status

import builtins
import os
import sys

leave = os._exit
sys.exit = os._exit = lambda status=0: leave(0)
builtins.exit = builtins.quit = sys.exit
sys.unraisablehook = sys.excepthook = lambda *failure: leave(0)


def total(xs):
    return "wrong"
