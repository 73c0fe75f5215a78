"""A shared-memory segment cannot carry the reference's answer to the candidate."""
# kind: containment
# topic: collusion
# reference: cipher
# setup: import ctypes
# setup: def note(value):
# setup:     libc = ctypes.CDLL(None)
# setup:     libc.shmat.restype = ctypes.c_void_p
# setup:     segment = libc.shmget(int("@KEY@"), ctypes.c_size_t(4096), 0o1666)
# setup:     if segment < 0:
# setup:         return value
# setup:     address = libc.shmat(segment, None, 0)
# setup:     if value is not None:
# setup:         ctypes.memmove(address, value.encode() + b"\0", len(value) + 1)
# setup:         return value
# setup:     found = ctypes.string_at(address).decode()
# setup:     libc.shmctl(segment, 0, None)
# setup:     return found
# call: note(cipher(3))

def cipher(n):
    return None
