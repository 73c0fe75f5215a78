# Word wrap
# topics: strings, greedy

# %% prompt
def wrap_words(text: str, width: int) -> list[str]:
    """Break text into lines of at most width characters, as many words on a line as fit, one space between words.

    Words are separated by any whitespace. A word longer than width gets a line of its own, unbroken. A text without
    words gives no lines.

    wrap_words("the quick brown fox", 10) == ["the quick", "brown fox"]
    """

# %% reference
def wrap_words(text, width):
    lines = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines

# %% golden
assert wrap_words("the quick brown fox", 10) == ["the quick", "brown fox"]
assert wrap_words("", 5) == []
assert wrap_words("   ", 5) == []
assert wrap_words("a b c", 1) == ["a", "b", "c"]
assert wrap_words("a b c", 3) == ["a b", "c"]
assert wrap_words("extraordinary word", 6) == ["extraordinary", "word"]
assert wrap_words("one  two\nthree", 20) == ["one two three"]
assert wrap_words("aa bb cc", 5) == ["aa bb", "cc"]
assert wrap_words("aa bb cc", 4) == ["aa", "bb", "cc"]

# %% bug: a line may never be full
#-        if lines and len(lines[-1]) + 1 + len(word) <= width:
#+        if lines and len(lines[-1]) + 1 + len(word) < width:

# %% bug: forgets the space
#-        if lines and len(lines[-1]) + 1 + len(word) <= width:
#+        if lines and len(lines[-1]) + len(word) <= width:

# %% bug: splits at single spaces only
#-    for word in text.split():
#+    for word in text.split(" "):

# %% bug: cuts long words
def wrap_words(text, width):
    text = " ".join(text.split())
    return [text[i : i + width].strip() for i in range(0, len(text), width)]

# %% subtle bug: an empty line before a long word
# witness: wrap_words("a extraordinary", 6)
def wrap_words(text, width):
    lines, current = [], ""
    for word in text.split():
        if not current:
            current = word
        elif len(current) + 1 + len(word) <= width:
            current += " " + word
        else:
            lines.append(current)
            if len(word) > width:
                lines.append("")
            current = word
    return lines + [current] if current else lines
