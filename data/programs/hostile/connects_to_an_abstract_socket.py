"""A socket in the abstract namespace, which no file permission guards, cannot be reached."""
# kind: containment
# topic: network
# call: attack()
# harms: listener

import socket


def attack():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect("\0@ABSTRACT@")
        link.sendall(b"here I am")
    return "escaped"
