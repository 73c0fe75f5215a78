"""A program cannot run a shell command."""
# kind: containment
# topic: processes
# call: attack()
# harms: confession

import subprocess


def attack():
    return subprocess.run(["/bin/sh", "-c", "echo escaped"], capture_output=True, text=True).stdout
