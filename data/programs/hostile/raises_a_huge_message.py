"""An exception with a message of megabytes, full of control characters, is cut short."""
# kind: resource
# topic: results
# call: attack(50_000_000) -> raised|memory|timeout
# call: attack(3) -> raised

def attack(n):
    raise ValueError("\x1b[2J\r\n\0" * n)
