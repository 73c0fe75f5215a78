"""Closures, nonlocal counters and functions that return functions work."""
# topic: control flow
# call: counted(3)
# call: composed(5)
# call: late()

def counter():
    count = 0

    def step():
        nonlocal count
        count += 1
        return count

    return step


def counted(n):
    step = counter()
    return [step() for _ in range(n)]


def composed(x):
    def compose(*functions):
        def run(value):
            for function in functions:
                value = function(value)
            return value

        return run

    return compose(lambda v: v + 1, lambda v: v * 10)(x)


def late():
    return [function() for function in [lambda n=n: n * n for n in range(4)]]
