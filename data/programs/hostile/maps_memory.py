"""Anonymous memory maps count as memory."""
# kind: resource
# topic: memory
# call: attack() -> memory|raised|refused|crashed

import mmap


def attack():
    hoard = []
    for _ in range(64):
        hoard.append(mmap.mmap(-1, 64 << 20))
        hoard[-1][::4096] = bytes(len(range(0, 64 << 20, 4096)))
    return len(hoard)
