# A justified line
# topics: strings, formatting

# %% prompt
def justify_line(words: list[str], width: int) -> str:
    """Put words on a line of exactly width characters by widening the spaces between them.

    Spaces are as even as possible; where they cannot be, the left ones are wider. One word alone is filled up with
    spaces on the right; no words make a line of spaces. The words always fit with single spaces between them.

    justify_line(["this", "is", "an"], 12) == "this  is  an"
    justify_line(["a", "b", "c"], 6) == "a  b c"
    """

# %% reference
def justify_line(words, width):
    if len(words) < 2:
        return "".join(words).ljust(width)
    gaps = len(words) - 1
    wide, extra = divmod(width - sum(map(len, words)), gaps)
    line = words[0]
    for i, word in enumerate(words[1:]):
        line += " " * (wide + (i < extra)) + word
    return line

# %% golden
assert justify_line(["this", "is", "an"], 12) == "this  is  an"
assert justify_line(["a", "b", "c"], 6) == "a  b c"
assert justify_line([], 3) == "   "
assert justify_line(["word"], 6) == "word  "
assert justify_line(["a", "b"], 3) == "a b"
assert justify_line(["a", "b"], 5) == "a   b"
assert justify_line(["full"], 4) == "full"
assert justify_line(["x", "y", "z"], 7) == "x  y  z"

# %% bug: the right spaces are wider
#-        line += " " * (wide + (i < extra)) + word
#+        line += " " * (wide + (i >= gaps - extra)) + word

# %% bug: all the extra space in the first gap
#-        line += " " * (wide + (i < extra)) + word
#+        line += " " * (wide + (extra if i == 1 else 0)) + word

# %% bug: crashes on one word
#-    if len(words) < 2:
#+    if not words:

# %% bug: fills up on the right
def justify_line(words, width):
    return " ".join(words).ljust(width)

# %% subtle bug: what does not divide evenly all goes into the first gap
# witness: justify_line(["a", "b", "c", "d"], 9)
#-        line += " " * (wide + (i < extra)) + word
#+        line += " " * (wide + (extra if i == 0 else 0)) + word
