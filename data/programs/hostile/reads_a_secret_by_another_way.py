"""The same file is out of reach through /proc/self/root and through a directory descriptor."""
# kind: containment
# topic: secrets
# call: attack()
# harms: secret

import os


def attack():
    try:
        with open("/proc/self/root@SECRET_FILE@") as file:
            return file.read()
    except OSError:
        root = os.open("/", os.O_RDONLY)
        return os.read(os.open("@SECRET_FILE@"[1:], os.O_RDONLY, dir_fd=root), 1000).decode()
