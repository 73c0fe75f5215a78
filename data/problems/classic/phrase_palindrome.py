# Palindromic phrases
# topics: strings, unicode

# %% prompt
def phrase_palindrome(text: str) -> bool:
    """Tell whether text reads the same forwards and backwards when only its letters and digits count.

    Case does not matter. Letters of every alphabet count. A text without letters and digits is a palindrome.

    phrase_palindrome("A man, a plan, a canal: Panama") == True
    """

# %% reference
def phrase_palindrome(text):
    chars = [char for char in text.casefold() if char.isalnum()]
    return chars == chars[::-1]

# %% golden
assert phrase_palindrome("A man, a plan, a canal: Panama") == True
assert phrase_palindrome("") == True
assert phrase_palindrome("!?") == True
assert phrase_palindrome("ab") == False
assert phrase_palindrome("Aa") == True
assert phrase_palindrome("race a car") == False
assert phrase_palindrome("1 2 1") == True
assert phrase_palindrome("0P") == False
assert phrase_palindrome("Was it a cat I saw?") == True

# %% bug: case matters
#-    chars = [char for char in text.casefold() if char.isalnum()]
#+    chars = [char for char in text if char.isalnum()]

# %% bug: punctuation counts
#-    chars = [char for char in text.casefold() if char.isalnum()]
#+    chars = [char for char in text.casefold() if not char.isspace()]

# %% bug: digits do not count
#-    chars = [char for char in text.casefold() if char.isalnum()]
#+    chars = [char for char in text.casefold() if char.isalpha()]

# %% bug: an empty text is none
#-    return chars == chars[::-1]
#+    return bool(chars) and chars == chars[::-1]

# %% subtle bug: only the letters a to z count
# witness: phrase_palindrome("né")
#-    chars = [char for char in text.casefold() if char.isalnum()]
#+    chars = [char for char in text.casefold() if char in "abcdefghijklmnopqrstuvwxyz0123456789"]

# %% subtle bug: compares only the outer four pairs
# witness: phrase_palindrome("abcdefgdcba")
def phrase_palindrome(text):
    chars = [char for char in text.casefold() if char.isalnum()]
    return all(chars[i] == chars[-1 - i] for i in range(min(4, len(chars) // 2)))
