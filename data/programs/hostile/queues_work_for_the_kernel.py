"""io_uring, which performs system calls that no filter sees, is not available."""
# kind: containment
# topic: network
# call: attack()

import ctypes


def attack():
    parameters = ctypes.create_string_buffer(120)
    if ctypes.CDLL(None).syscall(425, 4, parameters) >= 0:
        return "escaped"
