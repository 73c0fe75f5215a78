"""A program that shuts, replaces or unblocks its result descriptor has no result."""
# kind: protocol
# topic: endings
# reference: total
# call: total([1])
# call: total([2])
# call: total([3])

import os
import socket


def total(xs):
    if xs == [1]:
        socket.socket(fileno=3).shutdown(socket.SHUT_RDWR)
    elif xs == [2]:
        os.dup2(1, 3)
    else:
        os.set_blocking(3, False)
        os.read(3, 100)
    return 0
