"""Descriptors sent along with a result do not pile up in the trusted process."""
# kind: protocol
# topic: endings
# reference: total
# call: total([1, 2, 3])

import os
import socket
import struct


def total(xs):
    null = os.open(os.devnull, os.O_RDONLY)
    channel = socket.socket(fileno=3)
    for _ in range(100):
        socket.send_fds(channel, [struct.pack("<IiBf", 1, 9, 0, 0.0) + b"6"], [null] * 20)
    os._exit(0)
