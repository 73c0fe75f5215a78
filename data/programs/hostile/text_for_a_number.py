"""The digits of the right number are not the right number."""
# kind: integrity
# topic: near misses
# reference: total
# call: total([1, 2, 3])

def total(xs):
    return str(sum(xs))
