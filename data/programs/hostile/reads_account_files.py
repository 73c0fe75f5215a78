"""Account files, home folders and the host's configuration cannot be read."""
# kind: containment
# topic: secrets
# call: attack()
# harms: confession

import os


def attack():
    for path in ("/etc/passwd", "/etc/hostname", os.path.expanduser("~/.bashrc"), "/var/log/dpkg.log"):
        try:
            with open(path, "rb") as file:
                file.read(1)
        except OSError:
            continue
        return "escaped"
