"""Palindromes, ciphers, roman numerals and run-length codes compute what they should."""
# topic: text
# call: rot13("Hello")
# call: roman(1994)
# call: encoded("aaabcc")
# call: is_palindrome("A man, a plan, a canal: Panama")

import codecs
from itertools import groupby


def rot13(text):
    return codecs.encode(text, "rot13"), text.translate(str.maketrans("elo", "310"))


def roman(n):
    signs = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
             (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    text = ""
    for value, sign in signs:
        text, n = text + sign * (n // value), n % value
    return text


def encoded(text):
    return "".join(f"{len(list(group))}{letter}" for letter, group in groupby(text))


def is_palindrome(text):
    letters = [c.lower() for c in text if c.isalnum()]
    return letters == letters[::-1]
