"""A program cannot make a directory."""
# kind: containment
# topic: files
# call: attack()
# harms: canary

import os


def attack():
    os.mkdir("@CANARY@")
    return "escaped"
