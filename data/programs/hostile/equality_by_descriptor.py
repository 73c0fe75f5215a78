"""Comparison methods handed out by a descriptor or by __getattribute__ are never looked up."""
# kind: integrity
# topic: equality
# reference: total
# call: total([1, 2, 3])
# beats: exit-status, markers

class Always:
    def __get__(self, instance, owner):
        return lambda other: True


class Answer:
    __eq__ = Always()
    __hash__ = None

    def __getattribute__(self, name):
        return 6


def total(xs):
    return Answer()
