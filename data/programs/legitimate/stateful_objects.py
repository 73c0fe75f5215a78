"""An object with state, driven by a list of operations, ends where it should."""
# topic: structures
# call: run_cache([("put", 1, 1), ("put", 2, 2), ("get", 1), ("put", 3, 3), ("get", 2)])
# call: run_account([50, -20, -100])

from collections import OrderedDict


class Cache:
    def __init__(self, room):
        self.room, self.items = room, OrderedDict()

    def get(self, key):
        if key not in self.items:
            return -1
        self.items.move_to_end(key)
        return self.items[key]

    def put(self, key, value):
        self.items[key] = value
        self.items.move_to_end(key)
        if len(self.items) > self.room:
            self.items.popitem(last=False)


def run_cache(operations):
    cache = Cache(2)
    return [getattr(cache, name)(*arguments) for name, *arguments in operations]


def run_account(movements):
    balance, refused = 0, []
    for movement in movements:
        if balance + movement < 0:
            refused.append(movement)
        else:
            balance += movement
    return balance, refused
