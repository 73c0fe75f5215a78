"""A program cannot move a file."""
# kind: containment
# topic: files
# call: attack()
# harms: canary, keepsake

import os


def attack():
    os.rename("@KEEPSAKE@", "@CANARY@")
    return "escaped"
