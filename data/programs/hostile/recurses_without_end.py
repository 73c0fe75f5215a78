"""Endless recursion is an exception, and the next call is answered."""
# kind: resource
# topic: crashes
# call: attack(1) -> raised
# call: attack(0) -> ok

def attack(n):
    return attack(n) if n else n
