"""Recursion nine hundred levels deep is allowed."""
# topic: control flow
# call: depth(900)
# call: total(list(range(900)))
# call: ackermann(2, 3)

def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def total(xs):
    return xs[0] + total(xs[1:]) if xs else 0


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, ackermann(m, n - 1) if n else 1)
