"""Decorators with and without arguments, and wraps, work."""
# topic: functools
# call: greeting()
# call: retried()

import functools


def repeat(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **options):
            return [function(*args, **options) for _ in range(times)]

        return wrapper

    return decorate


@repeat(3)
def hello(name="you"):
    """Say hello."""
    return "hello " + name


def greeting():
    return hello("ada"), hello.__name__, hello.__doc__


def retried():
    tries = []

    def flaky():
        tries.append(1)
        if len(tries) < 3:
            raise OSError
        return len(tries)

    while True:
        try:
            return flaky()
        except OSError:
            continue
