"""One arithmetic operation that takes minutes is ended."""
# kind: resource
# topic: time
# call: attack(10**9) -> timeout|memory
# call: attack(10) -> ok

def attack(n):
    return 3**n % 7
