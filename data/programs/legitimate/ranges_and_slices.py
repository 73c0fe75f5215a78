"""Ranges arrive as ranges, and slices cut where they should."""
# topic: structures
# call: spans()
# call: cut(list(range(10)))

def spans():
    return range(5), range(10, 0, -3), range(2, 2)


def cut(xs):
    return xs[::-2], xs[-3:], xs[slice(1, None, 4)], range(10)[2:5]
