"""A program cannot set the time stamps of a file."""
# kind: containment
# topic: files
# call: attack()
# harms: keepsake

import os


def attack():
    os.utime("@KEEPSAKE@", (1, 1))
    return "escaped"
