"""A program cannot see which processes run beside it."""
# kind: containment
# topic: secrets
# call: attack()
# harms: confession

import os


def attack():
    return "escaped" if "@VICTIM@" in os.listdir("/proc") else "alone"
