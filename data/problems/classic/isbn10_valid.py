# ISBN-10 check digit
# topics: strings, validation

# %% prompt
def isbn10_valid(text: str) -> bool:
    """Tell whether text is a valid ISBN-10.

    It has nine digits and then a digit or a capital X, which stands for 10; hyphens anywhere are ignored. Ten times the
    first, plus nine times the second, and so on to once the last, must be a multiple of 11.

    isbn10_valid("3-16-148410-0") == False
    isbn10_valid("0-306-40615-2") == True
    """

# %% reference
def isbn10_valid(text):
    chars = text.replace("-", "")
    if len(chars) != 10:
        return False
    total = 0
    for i, char in enumerate(chars):
        if char == "X" and i == 9:
            value = 10
        elif char in "0123456789":
            value = int(char)
        else:
            return False
        total += (10 - i) * value
    return total % 11 == 0

# %% golden
assert isbn10_valid("0-306-40615-2") == True
assert isbn10_valid("3-16-148410-0") == False
assert isbn10_valid("0306406152") == True
assert isbn10_valid("097522980X") == True
assert isbn10_valid("") == False
assert isbn10_valid("0-306-40615") == False
assert isbn10_valid("03064061522") == False
assert isbn10_valid("0-306-4061a-2") == False
assert isbn10_valid("0000000000") == True

# %% bug: does not know X
#-        if char == "X" and i == 9:
#-            value = 10
#-        elif char in "0123456789":
#+        if char in "0123456789":

# %% bug: divides by ten
#-    return total % 11 == 0
#+    return total % 10 == 0

# %% bug: weights from 1 to 9 and no check digit
#-        total += (10 - i) * value
#+        total += i * value

# %% bug: any length
#-    if len(chars) != 10:
#-        return False
#+    pass

# %% subtle bug: X counts as ten in every place
# witness: isbn10_valid("X00000000X")
#-        if char == "X" and i == 9:
#+        if char == "X":

# %% subtle bug: a small x is fine too
# witness: isbn10_valid("097522980x")
#-    chars = text.replace("-", "")
#+    chars = text.replace("-", "").upper()
