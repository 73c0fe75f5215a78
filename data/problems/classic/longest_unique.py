# The longest stretch without a repeated character
# topics: strings, sliding windows

# %% prompt
def longest_unique(text: str) -> str:
    """Return the longest stretch of text in which no character occurs twice; the first one when several are longest.

    longest_unique("abcabcbb") == "abc"
    """

# %% reference
def longest_unique(text):
    best, start, last = "", 0, {}
    for i, char in enumerate(text):
        if last.get(char, -1) >= start:
            start = last[char] + 1
        last[char] = i
        if i + 1 - start > len(best):
            best = text[start : i + 1]
    return best

# %% golden
assert longest_unique("abcabcbb") == "abc"
assert longest_unique("") == ""
assert longest_unique("a") == "a"
assert longest_unique("bbbb") == "b"
assert longest_unique("pwwkew") == "wke"
assert longest_unique("abcdef") == "abcdef"
assert longest_unique("aab") == "ab"
assert longest_unique("abab") == "ab"
assert longest_unique("abcbde") == "cbde"

# %% bug: the last of several longest stretches
#-        if i + 1 - start > len(best):
#+        if i + 1 - start >= len(best):

# %% bug: starts anew at every repeat
#-        if last.get(char, -1) >= start:
#-            start = last[char] + 1
#+        if last.get(char, -1) >= start:
#+            start = i

# %% bug: forgets a stretch that ends with the text
#-        if i + 1 - start > len(best):
#-            best = text[start : i + 1]
#+        if i - start > len(best):
#+            best = text[start:i]

# %% subtle bug: the start can move back to an old occurrence
# witness: longest_unique("abbac")
#-        if last.get(char, -1) >= start:
#+        if char in last:
