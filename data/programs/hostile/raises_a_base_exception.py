"""KeyboardInterrupt, GeneratorExit and home-made base exceptions end a call, not the judge."""
# kind: integrity
# topic: not a value
# reference: total
# call: total([1])
# call: total([1, 2])
# call: total([1, 2, 3])

class Rude(BaseException):
    pass


def total(xs):
    raise (KeyboardInterrupt, GeneratorExit, Rude)[len(xs) - 1]
