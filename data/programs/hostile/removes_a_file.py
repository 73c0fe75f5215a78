"""A program cannot delete a file."""
# kind: containment
# topic: files
# call: attack()
# harms: keepsake

import os


def attack():
    os.unlink("@KEEPSAKE@")
    return "escaped"
