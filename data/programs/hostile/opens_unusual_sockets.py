"""Netlink, raw, packet, virtual-machine and crypto sockets cannot be made."""
# kind: containment
# topic: network
# call: attack()
# harms: confession

import socket

FAMILIES = {"netlink": 16, "packet": 17, "vsock": 40, "crypto": 38, "inet raw": 2}


def attack():
    for family in FAMILIES.values():
        for kind in (socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
            if family == 2 and kind != socket.SOCK_RAW:
                continue
            try:
                socket.socket(family, kind)
            except OSError:
                continue
            return "escaped"
