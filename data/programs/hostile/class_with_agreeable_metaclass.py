"""A class returned as a result does not pass because its metaclass says that it is equal."""
# kind: integrity
# topic: equality
# reference: total
# call: total([1, 2, 3])
# beats: exit-status, markers

class Meta(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return 0

    def __instancecheck__(cls, instance):
        return True


class Number(metaclass=Meta):
    pass


def total(xs):
    return Number
