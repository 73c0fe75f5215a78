"""An exception whose methods never return is timed with its call."""
# kind: resource
# topic: time
# call: attack(1) -> raised|timeout
# call: attack(0) -> ok

class Slow(Exception):
    def __str__(self):
        while True:
            pass

    __repr__ = __str__


def attack(n):
    if n:
        raise Slow
    return n
