"""Module-level constants, tables and counters work across the calls of a program."""
# topic: library
# call: next_number()
# call: next_number()
# call: looked_up("b")

numbers = iter(range(10, 20))
TABLE = {letter: index for index, letter in enumerate("abc")}


def next_number():
    return next(numbers)


def looked_up(letter):
    return TABLE[letter]
