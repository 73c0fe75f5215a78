"""A generator that would yield the right answer has not returned it."""
# kind: integrity
# topic: not a value
# reference: arrange
# call: arrange([3, 1, 2])

def arrange(xs):
    yield from sorted(xs)
