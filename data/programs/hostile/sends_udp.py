"""No UDP datagram leaves a program."""
# kind: containment
# topic: network
# call: attack()
# harms: listener

import socket


def attack():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.sendto(b"here I am", ("127.0.0.1", int("@UDP_PORT@")))
    return "escaped"
