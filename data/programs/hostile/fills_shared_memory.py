"""The shared-memory file system takes no file."""
# kind: containment
# topic: files
# call: attack()
# harms: confession

import os


def attack():
    path = f"/dev/shm/a1kit-trap-{os.getpid()}"
    with open(path, "w") as file:
        file.write("here I am")
        file.flush()
    os.unlink(path)
    return "escaped"
