"""The memory of another process cannot be read with process_vm_readv."""
# kind: containment
# topic: secrets
# call: attack()
# harms: confession

import ctypes
import errno


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    vector = (ctypes.c_size_t * 2)(4096, 8)
    result = libc.process_vm_readv(int("@VICTIM@"), vector, 1, vector, 1, 0)
    if result >= 0 or ctypes.get_errno() == errno.EFAULT:
        return "escaped"
