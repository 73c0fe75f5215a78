"""A program cannot fork."""
# kind: containment
# topic: processes
# call: attack()
# harms: confession

import os


def attack():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "escaped"
