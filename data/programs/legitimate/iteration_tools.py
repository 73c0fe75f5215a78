"""itertools, zip, enumerate and comprehension tricks give what they should."""
# topic: itertools
# call: arrangements("abc")
# call: runs("aaabccd")
# call: running([1, 2, 3, 4])
# call: paired([1, 2, 3], "ab")
# call: batches(list(range(7)), 3)

import itertools


def arrangements(text):
    return ["".join(p) for p in itertools.permutations(text)], list(itertools.combinations(text, 2))


def runs(text):
    return [(letter, len(list(group))) for letter, group in itertools.groupby(text)]


def running(xs):
    return list(itertools.accumulate(xs)), list(itertools.pairwise(xs))


def paired(a, b):
    return list(itertools.zip_longest(a, b, fillvalue="?")), list(enumerate(b, 1))


def batches(xs, size):
    return [xs[i : i + size] for i in range(0, len(xs), size)]
