# Caesar cipher
# topics: strings

# %% prompt
def caesar(text: str, shift: int) -> str:
    """Replace every letter A-Z and a-z by the one shift places later in the alphabet, from Z on to A again.

    Case stays. All other characters stay as they are. shift may be negative or larger than 26.

    caesar("Hello, World!", 3) == "Khoor, Zruog!"
    """

# %% reference
def caesar(text, shift):
    out = []
    for char in text:
        if "a" <= char <= "z":
            char = chr((ord(char) - ord("a") + shift) % 26 + ord("a"))
        elif "A" <= char <= "Z":
            char = chr((ord(char) - ord("A") + shift) % 26 + ord("A"))
        out.append(char)
    return "".join(out)

# %% golden
assert caesar("Hello, World!", 3) == "Khoor, Zruog!"
assert caesar("", 5) == ""
assert caesar("abc", 0) == "abc"
assert caesar("xyz", 3) == "abc"
assert caesar("abc", -1) == "zab"
assert caesar("ABC", 27) == "BCD"
assert caesar("1 2 3", 4) == "1 2 3"
assert caesar("Zebra", 1) == "Afcsb"

# %% bug: runs past the end of the alphabet
#-            char = chr((ord(char) - ord("a") + shift) % 26 + ord("a"))
#+            char = chr(ord(char) + shift)

# %% bug: loses the case
#-    for char in text:
#+    for char in text.lower():

# %% bug: shifts capitals as if they were small
#-            char = chr((ord(char) - ord("A") + shift) % 26 + ord("A"))
#+            char = chr((ord(char) - ord("a") + shift) % 26 + ord("a"))

# %% bug: only positive shifts
#-    out = []
#+    out = []
#+    shift = abs(shift)

# %% subtle bug: shifts everything that is a letter
# witness: caesar("naïve", 1)
#-        if "a" <= char <= "z":
#+        if char.islower():

# %% subtle bug: wraps around once only
# witness: caesar("z", 53)
def caesar(text, shift):
    out = ""
    for char in text:
        if char.isascii() and char.isalpha():
            last = "z" if char.islower() else "Z"
            code = ord(char) + shift
            if code > ord(last):
                code -= 26
            elif code < ord(last) - 25:
                code += 26
            char = chr(code)
        out += char
    return out
