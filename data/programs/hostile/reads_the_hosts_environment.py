"""The environment of the ancestors cannot be read from /proc."""
# kind: containment
# topic: secrets
# call: attack()

import os


def attack():
    texts = []
    for pid in (os.getppid(), "@HOST@", 1):
        try:
            with open(f"/proc/{pid}/environ", errors="replace") as file:
                texts.append(file.read())
        except OSError:
            pass
    return texts
