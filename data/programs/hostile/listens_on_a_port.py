"""A program cannot open a port and wait for somebody to call."""
# kind: containment
# topic: network
# call: attack()
# harms: confession

import socket


def attack():
    with socket.create_server(("127.0.0.1", 0)):
        return "escaped"
