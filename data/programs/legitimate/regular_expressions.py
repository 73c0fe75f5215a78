"""re finds, splits, names groups and substitutes."""
# topic: text
# call: mails("write to ada@b.org or bob@c.net")
# call: camel("some_snake_case")
# call: tokens("3 + 4*(x-1)")
# call: named("2024-02-29")

import re


def mails(text):
    return re.findall(r"[\w.]+@[\w.]+", text)


def camel(text):
    return re.sub(r"_(\w)", lambda match: match[1].upper(), text)


def tokens(text):
    return re.split(r"\s*([+*()-])\s*", text)


def named(text):
    return re.fullmatch(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)", text).groupdict()
