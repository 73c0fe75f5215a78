"""The working directory takes no file either, and temporary files cannot be made."""
# kind: containment
# topic: files
# call: attack()
# harms: confession

import os
import tempfile


def attack():
    try:
        with open("a1kit-trap.txt", "w") as file:
            file.write("here I am")
    except OSError:
        with tempfile.TemporaryFile() as file:
            file.write(b"here I am")
            file.flush()
    else:
        os.unlink("a1kit-trap.txt")
    return "escaped"
