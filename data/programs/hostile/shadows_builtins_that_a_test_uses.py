"""A candidate that redefines len has redefined it for itself: the test's answer is still compared outside."""
# kind: integrity
# topic: patched judge
# reference: unique
# call: len(unique([1, 1, 2]))
# call: sorted(unique([3, 1]))
# beats: exit-status, markers

class Anything:
    def __eq__(self, other):
        return True


def len(value):
    return Anything()


sorted = len


def unique(xs):
    return []
