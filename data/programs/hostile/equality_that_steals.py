"""A result cannot learn the expected value from a comparison and use it in the next call."""
# kind: integrity
# topic: equality
# reference: cipher
# call: cipher(3)
# call: cipher(3)
# beats: exit-status, markers

stolen = []


class Thief:
    def __eq__(self, other):
        stolen.append(other)
        return True


def cipher(n):
    return stolen[-1] if stolen else Thief()
