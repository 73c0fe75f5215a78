"""ChainMap and user-defined mappings give plain dictionaries when they are asked to."""
# topic: collections
# call: settings({"a": 1}, {"a": 2, "b": 3})
# call: frequencies([3, 1, 3])

from collections import ChainMap, UserDict


class Bag(UserDict):
    def add(self, item):
        self.data[item] = self.data.get(item, 0) + 1


def settings(own, default):
    return dict(sorted(ChainMap(own, default).items()))


def frequencies(items):
    bag = Bag()
    for item in items:
        bag.add(item)
    return bag.data
