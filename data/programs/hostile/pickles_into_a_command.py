"""An object whose unpickling would run a command is never unpickled."""
# kind: containment
# topic: results
# call: attack()

import os


class Bomb:
    def __reduce__(self):
        return os.system, ("echo here > @CANARY@",)


def attack():
    return [Bomb()]
