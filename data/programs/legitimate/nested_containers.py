"""Containers in containers arrive with every level as it was."""
# topic: collections
# call: table(3)
# call: mixed()
# call: empty()

def table(n):
    return {row: [(row, column, {row: {column}}) for column in range(n)] for row in range(n)}


def mixed():
    return [1, "a", b"b", None, True, (2,), {3}, frozenset({4}), {5: 6}, [[[[]]]], {(1, 2): [3]}]


def empty():
    return [[], (), {}, set(), frozenset(), "", b"", range(0)]
