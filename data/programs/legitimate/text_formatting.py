"""f-strings, format specifications, templates and text methods format as they should."""
# topic: text
# call: formatted(3.14159, 42)
# call: table([("a", 1), ("bb", 22)])
# call: titled("the quick brown fox")
# call: wrapped("one two three four five")

import string
import textwrap


def formatted(x, n):
    return [f"{x:.2f}|{n:>6}|{n:#x}|{n:,}|{x!r}", "%05d %s" % (n, x), "{0}-{0:b}".format(n)]


def table(rows):
    return "\n".join(f"{name:<4}{value:>4}" for name, value in rows)


def titled(text):
    return text.title(), string.capwords(text), string.Template("$a!").substitute(a=text.upper())


def wrapped(text):
    return textwrap.wrap(text, 9), textwrap.dedent("   a\n    b")
