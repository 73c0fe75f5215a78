"""A call that never ends is ended, and the calls after it are answered."""
# kind: resource
# topic: time
# call: attack(1) -> timeout
# call: attack(0) -> ok

def attack(n):
    while n:
        pass
    return n
