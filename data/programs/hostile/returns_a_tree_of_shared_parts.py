"""A small structure that unfolds into billions of elements is not unfolded."""
# kind: resource
# topic: results
# call: attack(60) -> unsupported|timeout|memory
# call: attack(3) -> ok

def attack(n):
    part = [0]
    for _ in range(n):
        part = [part, part]
    return part
