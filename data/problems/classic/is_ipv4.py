# Is this an IPv4 address
# topics: strings, parsing, validation

# %% prompt
def is_ipv4(text: str) -> bool:
    """Tell whether text is an IPv4 address: four decimal numbers from 0 to 255 separated by dots.

    A number has only the digits 0 to 9, no sign, no spaces and no leading zero (0 itself is fine).

    is_ipv4("192.168.0.1") == True
    is_ipv4("192.168.00.1") == False
    """

# %% reference
def is_ipv4(text):
    parts = text.split(".")
    if len(parts) != 4:
        return False
    for part in parts:
        if not part or any(char not in "0123456789" for char in part):
            return False
        if len(part) > 1 and part[0] == "0":
            return False
        if int(part) > 255:
            return False
    return True

# %% golden
assert is_ipv4("192.168.0.1") == True
assert is_ipv4("192.168.00.1") == False
assert is_ipv4("255.255.255.255") == True
assert is_ipv4("256.1.1.1") == False
assert is_ipv4("1.2.3") == False
assert is_ipv4("1.2.3.4.5") == False
assert is_ipv4("1..2.3") == False
assert is_ipv4("a.b.c.d") == False
assert is_ipv4("") == False
assert is_ipv4("-1.2.3.4") == False
assert is_ipv4("0.0.0.0") == True

# %% bug: allows leading zeros
#-        if len(part) > 1 and part[0] == "0":
#-            return False
#+        pass

# %% bug: any number of parts
#-    if len(parts) != 4:
#-        return False
#+    pass

# %% bug: allows 256
#-        if int(part) > 255:
#+        if int(part) > 256:

# %% bug: crashes on letters
#-        if not part or any(char not in "0123456789" for char in part):
#+        if not part:

# %% subtle bug: takes every character that str.isdigit takes
# witness: is_ipv4("1.2.3.\u0664")
#-        if not part or any(char not in "0123456789" for char in part):
#+        if not part.isdigit():

# %% subtle bug: int() forgives spaces, signs and underscores
# witness: is_ipv4("1.2.3.+4")
def is_ipv4(text):
    parts = text.split(".")
    if len(parts) != 4:
        return False
    for part in parts:
        try:
            number = int(part)
        except ValueError:
            return False
        if not 0 <= number <= 255 or (len(part) > 1 and part.startswith("0")):
            return False
    return True
