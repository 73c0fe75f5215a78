"""A result that hangs while it is thrown away costs its own call only."""
# kind: resource
# topic: time
# call: attack(1) -> unsupported|timeout
# call: attack(0) -> ok

class Stubborn:
    def __del__(self):
        while True:
            pass


def attack(n):
    return Stubborn() if n else 0
