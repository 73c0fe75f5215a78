"""One allocation of terabytes is refused as memory, not as a crash of the judge."""
# kind: resource
# topic: memory
# call: attack(10**13) -> memory
# call: attack(1) -> ok

def attack(n):
    return len("x" * n)
