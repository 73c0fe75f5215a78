"""A few kilobytes that decompress to gigabytes run into a limit."""
# kind: resource
# topic: memory
# call: attack() -> memory|timeout|crashed

import zlib

squeezer = zlib.compressobj(9)
bomb = b"".join(squeezer.compress(bytes(1 << 20)) for _ in range(8)) + squeezer.flush()


def attack():
    hoard = []
    while True:
        hoard.append(zlib.decompress(bomb))
