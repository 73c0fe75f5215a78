"""Nested copies that double in size at each level run into a limit."""
# kind: resource
# topic: memory
# call: attack(40) -> memory|timeout|crashed
# call: attack(4) -> ok

def attack(n):
    text = "x"
    for _ in range(n):
        text = text + text
    return len(text)
