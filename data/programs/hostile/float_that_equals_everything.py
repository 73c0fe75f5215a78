"""A float subclass with an agreeable __eq__ and a lying hex() counts as the number it holds."""
# kind: integrity
# topic: equality
# reference: half
# call: half(5)
# beats: exit-status, markers

class Agreeable(float):
    def __eq__(self, other):
        return True

    def hex(self):
        return (2.5).hex()

    def __float__(self):
        return 2.5

    def __repr__(self):
        return "2.5"


def half(n):
    return Agreeable(-1.0)
