"""A nan equals a nan and nothing else."""
# kind: integrity
# topic: near misses
# reference: total
# call: total([1, 2, 3])

def total(xs):
    return float("nan")
