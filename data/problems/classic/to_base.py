# A number in another base
# topics: numbers, strings

# %% prompt
def to_base(number: int, base: int) -> str:
    """Write number in the given base (2 to 36) with the digits 0-9 and a-z.

    Negative numbers get a leading minus sign.

    to_base(10, 2) == "1010"
    to_base(-255, 16) == "-ff"
    """

# %% reference
def to_base(number, base):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    if number == 0:
        return "0"
    rest, out = abs(number), ""
    while rest:
        rest, digit = divmod(rest, base)
        out = digits[digit] + out
    return "-" + out if number < 0 else out

# %% golden
assert to_base(10, 2) == "1010"
assert to_base(0, 2) == "0"
assert to_base(255, 16) == "ff"
assert to_base(-255, 16) == "-ff"
assert to_base(1, 2) == "1"
assert to_base(8, 8) == "10"
assert to_base(35, 36) == "z"
assert to_base(123, 10) == "123"
assert to_base(-1, 3) == "-1"

# %% bug: nothing for zero
#-    if number == 0:
#-        return "0"
#+    pass

# %% bug: digits in the wrong order
#-        out = digits[digit] + out
#+        out = out + digits[digit]

# %% bug: upper-case digits
#-    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
#+    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# %% bug: loses the sign
#-    return "-" + out if number < 0 else out
#+    return out

# %% subtle bug: divides as floats, which loses digits of large numbers
# witness: to_base(123456789012345678901, 10)
#-        rest, digit = divmod(rest, base)
#+        rest, digit = int(rest / base), int(rest % base)
