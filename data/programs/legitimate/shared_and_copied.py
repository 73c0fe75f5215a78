"""Copies, deep copies and lists that share a part keep their meaning."""
# topic: algorithms
# call: copies([[1], [2]])
# call: shared_rows()
# call: same_twice()

import copy


def copies(xs):
    shallow, deep = copy.copy(xs), copy.deepcopy(xs)
    xs[0].append(9)
    return shallow, deep


def shared_rows():
    rows = [[0] * 2] * 2
    rows[0][0] = 1
    return rows


def same_twice():
    part = [1, 2]
    return [part, part, {"again": part}]
