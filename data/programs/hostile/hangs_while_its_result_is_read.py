"""Methods of a result that never return are not called, or are timed with the call."""
# kind: resource
# topic: time
# call: attack("list") -> ok|unsupported|timeout
# call: attack("object") -> unsupported|timeout
# call: attack("plain") -> ok

def forever(*args):
    while True:
        pass


class SlowList(list):
    __iter__ = __len__ = __getitem__ = __repr__ = __eq__ = __reduce__ = forever


class SlowObject:
    __iter__ = __len__ = __getattr__ = __repr__ = __str__ = __reduce__ = __hash__ = forever


def attack(what):
    return {"list": SlowList([1]), "object": SlowObject(), "plain": 1}[what]
