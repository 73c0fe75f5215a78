"""Machine code that enters the kernel through its 32-bit door is stopped by the filter."""
# kind: containment
# topic: privileges
# call: attack()

import ctypes
import mmap
import platform

GETPID = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"


def attack():
    if platform.machine() == "x86_64":
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(GETPID)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        if ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0:
            return "escaped"
