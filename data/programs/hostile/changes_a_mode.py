"""A program cannot change the permissions of a file, which no file-system rule alone prevents."""
# kind: containment
# topic: files
# call: attack()
# harms: keepsake

import os


def attack():
    os.chmod("@KEEPSAKE@", 0o400)
    return "escaped"
