# Reading Roman numerals
# topics: strings, numbers

# %% prompt
def roman_to_int(text: str) -> int:
    """Return the number that a Roman numeral from I to MMMCMXCIX stands for. The numeral is always well formed.

    roman_to_int("XIV") == 14
    """

# %% reference
def roman_to_int(text):
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    for i, char in enumerate(text):
        value = values[char]
        if i + 1 < len(text) and values[text[i + 1]] > value:
            total -= value
        else:
            total += value
    return total

# %% golden
assert roman_to_int("XIV") == 14
assert roman_to_int("I") == 1
assert roman_to_int("III") == 3
assert roman_to_int("IX") == 9
assert roman_to_int("LVIII") == 58
assert roman_to_int("MCMXCIV") == 1994
assert roman_to_int("XL") == 40
assert roman_to_int("MMXXIII") == 2023
assert roman_to_int("CCC") == 300

# %% bug: only adds
#-        if i + 1 < len(text) and values[text[i + 1]] > value:
#+        if False:

# %% bug: wrong value for L
#-    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
#+    values = {"I": 1, "V": 5, "X": 10, "L": 5, "C": 100, "D": 500, "M": 1000}

# %% bug: subtracts from equal letters too
#-        if i + 1 < len(text) and values[text[i + 1]] > value:
#+        if i + 1 < len(text) and values[text[i + 1]] >= value:

# %% bug: only I is subtracted
#-        if i + 1 < len(text) and values[text[i + 1]] > value:
#+        if char == "I" and i + 1 < len(text) and values[text[i + 1]] > value:

# %% subtle bug: CD is missing from the table of pairs
# witness: roman_to_int("CD")
def roman_to_int(text):
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    pairs = {"IV": 4, "IX": 9, "XL": 40, "XC": 90, "CM": 900}
    total, i = 0, 0
    while i < len(text):
        if text[i : i + 2] in pairs:
            total += pairs[text[i : i + 2]]
            i += 2
        else:
            total += values[text[i]]
            i += 1
    return total
