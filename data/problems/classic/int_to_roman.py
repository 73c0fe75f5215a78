# Writing Roman numerals
# topics: strings, numbers

# %% prompt
def int_to_roman(number: int) -> str:
    """Write a number from 1 to 3999 as a Roman numeral, with the usual subtractions (IV, IX, XL, XC, CD, CM).

    int_to_roman(1994) == "MCMXCIV"
    """

# %% reference
def int_to_roman(number):
    table = [
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ]
    out = ""
    for value, letters in table:
        while number >= value:
            out += letters
            number -= value
    return out

# %% golden
assert int_to_roman(1994) == "MCMXCIV"
assert int_to_roman(1) == "I"
assert int_to_roman(3) == "III"
assert int_to_roman(4) == "IV"
assert int_to_roman(9) == "IX"
assert int_to_roman(58) == "LVIII"
assert int_to_roman(3999) == "MMMCMXCIX"
assert int_to_roman(40) == "XL"
assert int_to_roman(500) == "D"

# %% bug: no subtractions
def int_to_roman(number):
    out = ""
    for value, letter in ((1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I")):
        out += letter * (number // value)
        number %= value
    return out

# %% bug: each letter once
#-        while number >= value:
#+        if number >= value:

# %% bug: stops one too early
#-        while number >= value:
#+        while number > value:

# %% subtle bug: no CD
# witness: int_to_roman(444)
#-        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
#+        (1000, "M"), (900, "CM"), (500, "D"), (100, "C"), (90, "XC"),
