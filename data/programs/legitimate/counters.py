"""Counter, defaultdict, OrderedDict and deque keep their contents."""
# topic: collections
# call: tally("abracadabra")
# call: group(["apple", "avocado", "banana"])
# call: ordered()
# call: rotated([1, 2, 3, 4])

from collections import Counter, OrderedDict, defaultdict, deque


def tally(text):
    return Counter(text)


def group(words):
    groups = defaultdict(list)
    for word in words:
        groups[word[0]].append(word)
    return groups


def ordered():
    names = OrderedDict(b=1, a=2)
    names.move_to_end("b")
    return names


def rotated(xs):
    ring = deque(xs, maxlen=4)
    ring.rotate(1)
    return ring
