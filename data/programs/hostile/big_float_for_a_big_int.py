"""A float near a big integer does not equal the integer that it cannot hold."""
# kind: integrity
# topic: near misses
# reference: total
# call: total([9007199254740992, 1])
# call: total([10**30, 1])

def total(xs):
    return float(sum(xs))
