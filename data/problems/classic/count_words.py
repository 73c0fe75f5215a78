# Counting words
# topics: strings, parsing

# %% prompt
def count_words(text: str) -> int:
    """Count the words of a text.

    A word is made of letters, and of apostrophes and hyphens that stand between two letters ("don't", "well-known").
    Everything else separates words.

    count_words("Don't panic!") == 2
    """

# %% reference
def count_words(text):
    count, inside = 0, False
    for i, char in enumerate(text):
        joins = char in "'-" and 0 < i < len(text) - 1 and text[i - 1].isalpha() and text[i + 1].isalpha()
        if char.isalpha() or joins:
            count += not inside
            inside = True
        else:
            inside = False
    return count

# %% golden
assert count_words("Don't panic!") == 2
assert count_words("") == 0
assert count_words("   ") == 0
assert count_words("one") == 1
assert count_words("well-known fact") == 2
assert count_words("a,b;c") == 3
assert count_words("two  spaces") == 2
assert count_words("yes - no") == 2
assert count_words("line\nbreak") == 2
assert count_words("3 apples") == 1

# %% bug: splits at white space
def count_words(text):
    return len(text.split())

# %% bug: counts the spaces
def count_words(text):
    return text.count(" ") + 1 if text.strip() else 0

# %% bug: apostrophes and hyphens separate words
#-        if char.isalpha() or joins:
#+        if char.isalpha():

# %% bug: a hyphen alone is a word
#-        joins = char in "'-" and 0 < i < len(text) - 1 and text[i - 1].isalpha() and text[i + 1].isalpha()
#+        joins = char in "'-"

# %% subtle bug: digits belong to words
# witness: count_words("a1b")
def count_words(text):
    import re

    return sum(not word.isdigit() for word in re.findall(r"\w+(?:['-]\w+)*", text))

# %% subtle bug: two hyphens join as well
# witness: count_words("so--what")
def count_words(text):
    import re

    return len(re.findall(r"[^\W\d_]+(?:['-]+[^\W\d_]+)*", text))
