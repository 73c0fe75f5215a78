"""A sentence with a name in it."""


def greet(name):
    return "hello " + name
