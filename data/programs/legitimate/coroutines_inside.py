"""Coroutines driven by hand work without an event loop."""
# topic: control flow
# call: driven(4)
# call: together([3, 1, 2])

async def double(n):
    return 2 * n


async def sum_of_doubles(n):
    return sum([await double(k) for k in range(n)])


def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value


def driven(n):
    return drive(sum_of_doubles(n))


def together(xs):
    return [drive(double(x)) for x in xs]
