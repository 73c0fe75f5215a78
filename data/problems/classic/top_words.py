# The most frequent words
# topics: strings, dicts, sorting, ties

# %% prompt
def top_words(text: str, k: int) -> list[str]:
    """Return the k most frequent words of text in lower case, most frequent first, ties in alphabetical order.

    A word is a run of letters; everything else separates words. When there are fewer than k different words, return
    them all.

    top_words("The cat and the dog", 2) == ["the", "and"]
    """

# %% reference
def top_words(text, k):
    words = "".join(char.lower() if char.isalpha() else " " for char in text).split()
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:k]

# %% golden
assert top_words("The cat and the dog", 2) == ["the", "and"]
assert top_words("", 3) == []
assert top_words("one", 5) == ["one"]
assert top_words("b a b a c", 2) == ["a", "b"]
assert top_words("Stop! stop... STOP", 1) == ["stop"]
assert top_words("a b c", 0) == []
assert top_words("x,y;x-y x", 2) == ["x", "y"]
assert top_words("12 drummers 12 34", 1) == ["drummers"]
assert top_words("zeta zeta alpha", 2) == ["zeta", "alpha"]

# %% bug: ties in the order of the text
#-    return sorted(counts, key=lambda word: (-counts[word], word))[:k]
#+    return sorted(counts, key=lambda word: -counts[word])[:k]

# %% bug: ties in reverse alphabetical order
#-    return sorted(counts, key=lambda word: (-counts[word], word))[:k]
#+    return sorted(counts, key=lambda word: (counts[word], word), reverse=True)[:k]

# %% bug: keeps the case
#-    words = "".join(char.lower() if char.isalpha() else " " for char in text).split()
#+    words = "".join(char if char.isalpha() else " " for char in text).split()

# %% bug: punctuation stays in the words
#-    words = "".join(char.lower() if char.isalpha() else " " for char in text).split()
#+    words = text.lower().split()

# %% subtle bug: only the letters a to z
# witness: top_words("Käse käse Brot", 1)
#-    words = "".join(char.lower() if char.isalpha() else " " for char in text).split()
#+    words = "".join(char if "a" <= char <= "z" else " " for char in text.lower()).split()
