"""Generators that are consumed inside the program work, with send, throw and close."""
# topic: control flow
# call: first_primes(10)
# call: averages([10, 20, 60])
# call: flattened([1, [2, [3, [4]]]])

from itertools import count, islice


def primes():
    found = []
    for n in count(2):
        if all(n % p for p in found):
            found.append(n)
            yield n


def averager():
    total, number, average = 0, 0, None
    while True:
        total += yield average
        number += 1
        average = total / number


def flatten(tree):
    for part in tree:
        if isinstance(part, list):
            yield from flatten(part)
        else:
            yield part


def first_primes(n):
    return list(islice(primes(), n))


def averages(xs):
    running = averager()
    next(running)
    return [running.send(x) for x in xs]


def flattened(tree):
    return list(flatten(tree))
