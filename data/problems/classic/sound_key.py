# A key for words that sound alike
# topics: strings, parsing

# %% prompt
def sound_key(name: str) -> str:
    """Return a four-character key for a name: its first letter in upper case and three digits.

    Letters after the first become digits: b f p v 1, c g j k q s x z 2, d t 3, l 4, m n 5, r 6; all other characters
    give none. The same digit is not written twice in a row unless a vowel (a e i o u) stands between the two letters;
    the digit of the first letter counts as written already. The key is cut, or filled up with zeros, to four
    characters. The key of an empty name is empty.

    sound_key("Robert") == "R163"
    sound_key("Rupert") == "R163"
    """

# %% reference
def sound_key(name):
    if not name:
        return ""
    digits = {}
    for letters, digit in (("bfpv", "1"), ("cgjkqsxz", "2"), ("dt", "3"), ("l", "4"), ("mn", "5"), ("r", "6")):
        for letter in letters:
            digits[letter] = digit
    key, last = name[0].upper(), digits.get(name[0].lower(), "")
    for char in name[1:].lower():
        digit = digits.get(char, "")
        if digit and digit != last:
            key += digit
        if digit:
            last = digit
        elif char in "aeiou":
            last = ""
    return key[:4].ljust(4, "0")

# %% golden
assert sound_key("Robert") == "R163"
assert sound_key("Rupert") == "R163"
assert sound_key("") == ""
assert sound_key("a") == "A000"
assert sound_key("Lee") == "L000"
assert sound_key("Pfister") == "P236"
assert sound_key("Gauss") == "G200"
assert sound_key("Washington") == "W252"
assert sound_key("lloyd") == "L300"
assert sound_key("Tymczak") == "T522"

# %% bug: writes the digit of a letter like the first
#-    key, last = name[0].upper(), digits.get(name[0].lower(), "")
#+    key, last = name[0].upper(), ""

# %% bug: never writes a digit twice
#-        elif char in "aeiou":
#-            last = ""
#+        elif char in "aeiou":
#+            pass

# %% bug: not filled up
#-    return key[:4].ljust(4, "0")
#+    return key[:4]

# %% bug: not cut
#-    return key[:4].ljust(4, "0")
#+    return key.ljust(4, "0")

# %% subtle bug: h and w separate as vowels do
# witness: sound_key("Ashcraft")
#-        elif char in "aeiou":
#+        else:
