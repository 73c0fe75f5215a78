"""Devices other than null, zero and random cannot be opened."""
# kind: containment
# topic: secrets
# call: attack()
# harms: confession

import os


def attack():
    for path in ("/dev/tty", "/dev/ptmx", "/dev/kmsg", "/dev/mem", "/dev/fuse", "/dev/net/tun", "/dev/vda"):
        try:
            os.open(path, os.O_RDONLY | os.O_NOCTTY)
        except OSError:
            continue
        return "escaped"
