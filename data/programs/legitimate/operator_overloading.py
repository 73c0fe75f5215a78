"""A small vector class with arithmetic of its own computes what it should."""
# topic: classes
# call: dot((1, 2), (3, 4))
# call: combined()

class Vector:
    def __init__(self, *parts):
        self.parts = parts

    def __add__(self, other):
        return Vector(*(a + b for a, b in zip(self.parts, other.parts)))

    def __rmul__(self, factor):
        return Vector(*(factor * part for part in self.parts))

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.parts, other.parts))

    def __getitem__(self, index):
        return self.parts[index]

    def __bool__(self):
        return any(self.parts)


def dot(a, b):
    return Vector(*a) @ Vector(*b)


def combined():
    return list(2 * Vector(1, 2) + Vector(0, 1)), bool(Vector(0, 0))
