"""Results of tens of thousands of elements arrive whole."""
# topic: structures
# call: numbers(15_000)
# call: text(90_000)
# call: grid(100)
# call: nested(60)

def numbers(n):
    return list(range(n))


def text(n):
    return "ab" * (n // 2)


def grid(n):
    return [[row * column for column in range(n)] for row in range(n)]


def nested(depth):
    value = 0
    for _ in range(depth):
        value = [value]
    return value
