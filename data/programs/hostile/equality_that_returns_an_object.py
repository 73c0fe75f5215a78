"""A comparison that answers with a truthy object instead of True has no say in the verdict."""
# kind: integrity
# topic: equality
# reference: is_prime
# call: is_prime(8)
# beats: exit-status, markers

class Truth:
    def __bool__(self):
        return True


class Answer:
    def __eq__(self, other):
        return Truth()


def is_prime(n):
    return Answer()
