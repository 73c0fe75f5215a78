"""posix_spawn and os.system are no way around the ban on new processes."""
# kind: containment
# topic: processes
# call: attack()
# harms: canary

import os


def attack():
    try:
        os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "echo here > @CANARY@"], {}), 0)
    except OSError:
        os.system("echo here > @CANARY@")
