# Shortening a text
# topics: strings

# %% prompt
def shorten(text: str, limit: int) -> str:
    """Return text when it has at most limit characters; otherwise cut it and end it with three dots.

    The result with its dots has at most limit characters, ends before a space rather than inside a word (as many whole
    words as fit), and has no space before the dots. When not even one word and the dots fit, the first word is cut. Words
    are separated by single spaces. limit is at least 4.

    shorten("the quick brown fox", 12) == "the quick..."
    """

# %% reference
def shorten(text, limit):
    if len(text) <= limit:
        return text
    room = limit - 3
    kept = ""
    for word in text.split(" "):
        longer = f"{kept} {word}" if kept else word
        if len(longer) > room:
            break
        kept = longer
    return (kept or text[:room]) + "..."

# %% golden
assert shorten("the quick brown fox", 12) == "the quick..."
assert shorten("", 5) == ""
assert shorten("short", 5) == "short"
assert shorten("toolong", 6) == "too..."
assert shorten("one two three", 13) == "one two three"
assert shorten("one two three", 10) == "one two..."
assert shorten("one two three", 9) == "one..."
assert shorten("extraordinary day", 8) == "extra..."

# %% bug: cuts inside words
#-    return (kept or text[:room]) + "..."
#+    return text[:room].rstrip() + "..."

# %% bug: the dots come on top
#-    room = limit - 3
#+    room = limit

# %% bug: dots even when nothing is cut
#-    if len(text) <= limit:
#+    if len(text) < limit:

# %% bug: nothing but dots for a long word
#-    return (kept or text[:room]) + "..."
#+    return kept + "..."

# %% subtle bug: leaves out a word that does not fit and goes on with the next
# witness: shorten("a extraordinary b c", 8)
#-        if len(longer) > room:
#-            break
#-        kept = longer
#+        if len(longer) <= room and (kept or word == text.split(" ")[0]):
#+            kept = longer
