# Groups of anagrams
# topics: strings, dicts

# %% prompt
def group_anagrams(words: list[str]) -> list[list[str]]:
    """Group the words that are anagrams of each other (same letters, each equally often).

    Groups come in the order in which their first word occurs in words; inside a group words keep their order, and a
    word that occurs twice is listed twice. Upper and lower case are different letters.

    group_anagrams(["tea", "tan", "eat"]) == [["tea", "eat"], ["tan"]]
    """

# %% reference
def group_anagrams(words):
    groups = {}
    for word in words:
        groups.setdefault("".join(sorted(word)), []).append(word)
    return list(groups.values())

# %% golden
assert group_anagrams(["tea", "tan", "eat"]) == [["tea", "eat"], ["tan"]]
assert group_anagrams([]) == []
assert group_anagrams([""]) == [[""]]
assert group_anagrams(["a", "b", "a"]) == [["a", "a"], ["b"]]
assert group_anagrams(["zoo", "ab", "ba"]) == [["zoo"], ["ab", "ba"]]
assert group_anagrams(["Ab", "ba"]) == [["Ab"], ["ba"]]
assert group_anagrams(["stop", "pots", "dog", "god", "spot"]) == [["stop", "pots", "spot"], ["dog", "god"]]
assert group_anagrams(["abc", "ab"]) == [["abc"], ["ab"]]

# %% bug: groups come in alphabetical order
#-    return list(groups.values())
#+    return [groups[key] for key in sorted(groups)]

# %% bug: drops repeated words
#-    for word in words:
#+    for word in dict.fromkeys(words):

# %% bug: ignores case
#-        groups.setdefault("".join(sorted(word)), []).append(word)
#+        groups.setdefault("".join(sorted(word.lower())), []).append(word)

# %% subtle bug: compares the sets of letters and the lengths
# witness: group_anagrams(["aab", "abb"])
#-        groups.setdefault("".join(sorted(word)), []).append(word)
#+        groups.setdefault((len(word), frozenset(word)), []).append(word)

# %% subtle bug: compares the sums of the letter codes
# witness: group_anagrams(["ad", "bc"])
#-        groups.setdefault("".join(sorted(word)), []).append(word)
#+        groups.setdefault((len(word), sum(map(ord, word))), []).append(word)
