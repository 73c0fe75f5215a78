"""No TCP connection can be made, not even to this machine."""
# kind: containment
# topic: network
# call: attack()
# harms: listener

import socket


def attack():
    with socket.create_connection(("127.0.0.1", int("@TCP_PORT@")), timeout=1) as link:
        link.sendall(b"here I am")
    return "escaped"
