"""lru_cache, cache and cached_property keep their results within a program."""
# topic: functools
# call: fibonacci(150)
# call: calls_made()
# call: area_twice()

from functools import cache, cached_property, lru_cache


@lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def calls_made():
    made = []

    @cache
    def square(n):
        made.append(n)
        return n * n

    return [square(3), square(3), made]


class Square:
    computed = 0

    def __init__(self, side):
        self.side = side

    @cached_property
    def area(self):
        self.computed += 1
        return self.side**2


def area_twice():
    square = Square(4)
    return square.area + square.area, square.computed
