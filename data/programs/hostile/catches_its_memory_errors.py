"""A program that swallows MemoryError and tries again is ended."""
# kind: resource
# topic: memory
# call: attack() -> timeout|memory|crashed

def attack():
    hoard = []
    while True:
        try:
            hoard.append(bytearray(16 << 20))
        except MemoryError:
            pass
