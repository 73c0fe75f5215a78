# The longest common prefix
# topics: strings

# %% prompt
def common_prefix(words: list[str]) -> str:
    """Return the longest text with which every one of the words begins. Without words it is empty.

    common_prefix(["flower", "flow", "flight"]) == "fl"
    """

# %% reference
def common_prefix(words):
    if not words:
        return ""
    prefix = words[0]
    for word in words[1:]:
        while not word.startswith(prefix):
            prefix = prefix[:-1]
    return prefix

# %% golden
assert common_prefix(["flower", "flow", "flight"]) == "fl"
assert common_prefix([]) == ""
assert common_prefix(["alone"]) == "alone"
assert common_prefix(["dog", "car"]) == ""
assert common_prefix(["", "abc"]) == ""
assert common_prefix(["same", "same"]) == "same"
assert common_prefix(["inter", "interview", "internet"]) == "inter"
assert common_prefix(["Ab", "aC"]) == ""
assert common_prefix(["abc", "xabc"]) == ""

# %% bug: crashes without words
#-    if not words:
#-        return ""
#+    pass

# %% bug: compares the first two words only
#-    for word in words[1:]:
#+    for word in words[1:2]:

# %% bug: ignores case
#-        while not word.startswith(prefix):
#+        while not word.lower().startswith(prefix.lower()):

# %% bug: longest common part anywhere
#-        while not word.startswith(prefix):
#+        while prefix not in word:

# %% subtle bug: keeps every position at which the words agree
# witness: common_prefix(["abcd", "axcd"])
def common_prefix(words):
    return "".join(chars[0] for chars in zip(*words) if len(set(chars)) == 1)
