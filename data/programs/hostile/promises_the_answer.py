"""A coroutine that would return the right answer has not returned it."""
# kind: integrity
# topic: not a value
# reference: total
# call: total([1, 2, 3])

async def total(xs):
    return sum(xs)
