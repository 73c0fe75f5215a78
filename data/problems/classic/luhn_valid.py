# Luhn check digit
# topics: strings, numbers, validation

# %% prompt
def luhn_valid(number: str) -> bool:
    """Tell whether a card number passes the Luhn check.

    From the right, every second digit is doubled, and 9 is taken off what is then above 9; the sum of all digits must
    be a multiple of 10. Spaces are ignored. A number with other characters, or with fewer than two digits, is not valid.

    luhn_valid("4539 3195 0343 6467") == True
    """

# %% reference
def luhn_valid(number):
    digits = number.replace(" ", "")
    if len(digits) < 2 or any(char not in "0123456789" for char in digits):
        return False
    total = 0
    for i, char in enumerate(reversed(digits)):
        value = int(char)
        if i % 2 == 1:
            value = 2 * value - 9 if value > 4 else 2 * value
        total += value
    return total % 10 == 0

# %% golden
assert luhn_valid("4539 3195 0343 6467") == True
assert luhn_valid("8273 1232 7352 0569") == False
assert luhn_valid("0") == False
assert luhn_valid("00") == True
assert luhn_valid("59") == True
assert luhn_valid("059") == True
assert luhn_valid("") == False
assert luhn_valid("59a") == False
assert luhn_valid("18") == True
assert luhn_valid("79927398713") == True

# %% bug: doubles from the left
#-    for i, char in enumerate(reversed(digits)):
#+    for i, char in enumerate(digits):

# %% bug: does not take 9 off
#-            value = 2 * value - 9 if value > 4 else 2 * value
#+            value = 2 * value

# %% bug: a single digit may be valid
#-    if len(digits) < 2 or any(char not in "0123456789" for char in digits):
#+    if len(digits) < 1 or any(char not in "0123456789" for char in digits):

# %% bug: crashes on letters
#-    if len(digits) < 2 or any(char not in "0123456789" for char in digits):
#+    if len(digits) < 2:

# %% bug: does not ignore spaces
#-    digits = number.replace(" ", "")
#+    digits = number

# %% subtle bug: other white space is ignored as well
# witness: luhn_valid("5\t9")
#-    digits = number.replace(" ", "")
#+    digits = "".join(number.split())

# %% subtle bug: skips every character that is no digit
# witness: luhn_valid("5-9")
def luhn_valid(number):
    if any(char.isalpha() for char in number):
        return False
    digits = [int(char) for char in number if char.isdigit()][::-1]
    if len(digits) < 2:
        return False
    total = sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return total % 10 == 0
