"""An anonymous memory file cannot hold what the address-space limit forbids."""
# kind: containment
# topic: files
# call: attack()
# harms: confession

import os


def attack():
    descriptor = os.memfd_create("trap")
    block = bytes(1 << 20)
    for _ in range(700):
        os.write(descriptor, block)
    return "escaped"
