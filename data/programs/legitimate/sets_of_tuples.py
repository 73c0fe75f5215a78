"""Sets of tuples and of frozensets, and their algebra, arrive whole."""
# topic: collections
# call: pairs([1, 2, 3])
# call: families(["ab", "ba", "cd"])
# call: algebra({1, 2, 3}, {2, 3, 4})

def pairs(xs):
    return {(a, b) for a in xs for b in xs if a < b}


def families(words):
    return {frozenset(word) for word in words}


def algebra(a, b):
    return [a | b, a & b, a - b, a ^ b, a < b, a.isdisjoint(b)]
