"""An argument changed in place shows its changes when it is returned."""
# topic: algorithms
# call: rotated([[1, 2], [3, 4]])
# call: without_zeros([0, 1, 0, 2])
# call: filled({})
# call: swapped([1, 2, 3])

def rotated(grid):
    grid[:] = [list(row) for row in zip(*grid[::-1])]
    return grid


def without_zeros(xs):
    for index in range(len(xs) - 1, -1, -1):
        if xs[index] == 0:
            del xs[index]
    return xs


def filled(table, key="k"):
    table.setdefault(key, []).append(1)
    return table


def swapped(xs):
    xs[0], xs[-1] = xs[-1], xs[0]
    return xs
