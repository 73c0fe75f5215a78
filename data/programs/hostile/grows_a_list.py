"""A list that grows without end hits the memory limit, and the next call is answered."""
# kind: resource
# topic: memory
# call: attack(1) -> memory|crashed|timeout
# call: attack(0) -> ok

def attack(n):
    hoard = []
    while n:
        hoard.append(bytearray(1 << 20))
    return n
