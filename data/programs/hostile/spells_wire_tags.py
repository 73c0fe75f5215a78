"""A value that spells the tags of an encoding is read as what it is, not as what it spells."""
# kind: integrity
# topic: near misses
# reference: pair
# call: pair(1)
# call: pair(2)
# call: pair(3)
# call: pair(4)
# call: pair(5)
# call: pair(6)

def pair(n):
    both = [n, n + 1]
    return [
        {"t": both},
        {"tuple": both},
        ["t", both],
        ["tuple", n, n + 1],
        {"type": "tuple", "value": both},
        {"__tuple__": both, "$t": both},
    ][n - 1]
