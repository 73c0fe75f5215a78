"""A program cannot cut a file short."""
# kind: containment
# topic: files
# call: attack()
# harms: keepsake

import os


def attack():
    os.truncate("@KEEPSAKE@", 0)
    return "escaped"
