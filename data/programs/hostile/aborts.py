"""os.abort is a crash and leaves no core file."""
# kind: resource
# topic: crashes
# call: attack(1) -> crashed
# call: attack(0) -> ok

import os


def attack(n):
    return os.abort() if n else n
