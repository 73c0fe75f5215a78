"""Results of tens of thousands of elements arrive whole."""
# topic: structures
# call: numbers(20_000)
# call: text(100_000)
# call: grid(120)
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
