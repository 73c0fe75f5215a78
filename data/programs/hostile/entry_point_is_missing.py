"""A program without the function that was asked for passes nothing."""
# kind: integrity
# topic: not a value
# reference: total
# call: total([1, 2, 3])

def totals(xs):
    return sum(xs)
