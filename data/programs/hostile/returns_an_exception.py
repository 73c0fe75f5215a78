"""An exception object returned as a value is not a value that can pass."""
# kind: integrity
# topic: not a value
# reference: total
# call: total([1, 2, 3])

def total(xs):
    return StopIteration(sum(xs))
