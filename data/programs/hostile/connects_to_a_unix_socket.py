"""A socket in the file system, such as that of a container daemon, cannot be reached."""
# kind: containment
# topic: network
# call: attack()
# harms: listener

import socket


def attack():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect("@UNIX_PATH@")
        link.sendall(b"here I am")
    return "escaped"
