"""A program cannot make a symbolic or a hard link."""
# kind: containment
# topic: files
# call: attack()
# harms: canary

import os


def attack():
    for link in (os.symlink, os.link):
        try:
            link("@KEEPSAKE@", "@CANARY@")
        except OSError:
            continue
        return "escaped"
