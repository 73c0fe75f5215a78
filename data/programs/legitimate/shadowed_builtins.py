"""A program that names its variables list, str, sum or id hurts only its own reading."""
# topic: source
# call: total([1, 2])
# call: f("a")

list = [1, 2, 3]
type = "kind"
len = 3
json = None


def sum(values):
    result = 0
    for value in values:
        result += value
    return result


def total(values):
    return sum(values) + len


def f(str):
    id = str + type
    return id, list
