"""Sorting is stable, in place or not, by key and in reverse."""
# topic: algorithms
# call: by_length(["bb", "a", "cc", "d"])
# call: in_place([3, 1, 2])
# call: by_two_keys([("b", 1), ("a", 1), ("a", 2)])
# call: mixed_case(["b", "A", "c"])

def by_length(words):
    return sorted(words, key=len), sorted(words, key=len, reverse=True)


def in_place(xs):
    xs.sort(reverse=True)
    return xs


def by_two_keys(rows):
    return sorted(rows, key=lambda row: (row[0], -row[1]))


def mixed_case(words):
    return sorted(words, key=str.lower), sorted(words)
