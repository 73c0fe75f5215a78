"""A program cannot make a named pipe or a socket file."""
# kind: containment
# topic: files
# call: attack()
# harms: canary

import os


def attack():
    os.mkfifo("@CANARY@")
    return "escaped"
