"""Open descriptors are limited, and hitting that limit is an exception."""
# kind: resource
# topic: memory
# call: attack() -> raised|refused

import os


def attack():
    while True:
        os.open(os.__file__, os.O_RDONLY)
