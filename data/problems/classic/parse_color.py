# Reading a color
# topics: strings, parsing, validation

# %% prompt
def parse_color(text: str) -> tuple[int, int, int] | None:
    """Return the red, green and blue parts (0 to 255) of a color such as "#1e90ff" or, with one digit a part, "#f80".

    Each digit of the short form stands for two equal ones. Digits may be upper or lower case. Return None for
    everything else.

    parse_color("#f80") == (255, 136, 0)
    """

# %% reference
def parse_color(text):
    digits = text[1:]
    if not text.startswith("#") or len(digits) not in (3, 6):
        return None
    if any(char not in "0123456789abcdefABCDEF" for char in digits):
        return None
    if len(digits) == 3:
        digits = "".join(2 * char for char in digits)
    return tuple(int(digits[i : i + 2], 16) for i in (0, 2, 4))

# %% golden
assert parse_color("#f80") == (255, 136, 0)
assert parse_color("#1e90ff") == (30, 144, 255)
assert parse_color("#000000") == (0, 0, 0)
assert parse_color("#FFF") == (255, 255, 255)
assert parse_color("") is None
assert parse_color("1e90ff") is None
assert parse_color("#12345") is None
assert parse_color("#ggg") is None
assert parse_color("#aBc") == (170, 187, 204)

# %% bug: the short form is not doubled
#-        digits = "".join(2 * char for char in digits)
#+        digits = "".join("0" + char for char in digits)

# %% bug: lower case only
#-    if any(char not in "0123456789abcdefABCDEF" for char in digits):
#+    if any(char not in "0123456789abcdef" for char in digits):

# %% bug: crashes on other letters
#-    if any(char not in "0123456789abcdefABCDEF" for char in digits):
#-        return None
#+    pass

# %% bug: the # may be missing
#-    if not text.startswith("#") or len(digits) not in (3, 6):
#+    digits = text.lstrip("#")
#+    if len(digits) not in (3, 6):

# %% subtle bug: leaves the checking to int()
# witness: parse_color("#+1-2 3")
#-    if any(char not in "0123456789abcdefABCDEF" for char in digits):
#-        return None
#-    if len(digits) == 3:
#-        digits = "".join(2 * char for char in digits)
#-    return tuple(int(digits[i : i + 2], 16) for i in (0, 2, 4))
#+    if len(digits) == 3:
#+        digits = "".join(2 * char for char in digits)
#+    try:
#+        return tuple(int(digits[i : i + 2], 16) for i in (0, 2, 4))
#+    except ValueError:
#+        return None
