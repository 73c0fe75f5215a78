"""A tuple of the right elements is not the list."""
# kind: integrity
# topic: near misses
# reference: arrange
# call: arrange([3, 1, 2])
# call: arrange([])

def arrange(xs):
    return tuple(sorted(xs))
