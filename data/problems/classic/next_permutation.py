# The next permutation
# topics: lists, permutations

# %% prompt
def next_permutation(values: list[int]) -> list[int]:
    """Return the next larger arrangement of values in lexicographic order; after the largest comes the smallest.

    Values may occur several times. The list given is not changed.

    next_permutation([1, 2, 3]) == [1, 3, 2]
    next_permutation([3, 2, 1]) == [1, 2, 3]
    """

# %% reference
def next_permutation(values):
    out = list(values)
    i = len(out) - 2
    while i >= 0 and out[i] >= out[i + 1]:
        i -= 1
    if i >= 0:
        j = len(out) - 1
        while out[j] <= out[i]:
            j -= 1
        out[i], out[j] = out[j], out[i]
    out[i + 1 :] = reversed(out[i + 1 :])
    return out

# %% golden
assert next_permutation([1, 2, 3]) == [1, 3, 2]
assert next_permutation([3, 2, 1]) == [1, 2, 3]
assert next_permutation([]) == []
assert next_permutation([5]) == [5]
assert next_permutation([1, 3, 2]) == [2, 1, 3]
assert next_permutation([2, 3, 1]) == [3, 1, 2]
assert next_permutation([1, 1, 5]) == [1, 5, 1]
assert next_permutation([1, 2, 4, 3]) == [1, 3, 2, 4]

# %% bug: does not wrap around
#-    out[i + 1 :] = reversed(out[i + 1 :])
#+    if i >= 0:
#+        out[i + 1 :] = reversed(out[i + 1 :])

# %% bug: leaves the tail as it is
#-    out[i + 1 :] = reversed(out[i + 1 :])
#+    if i < 0:
#+        out.reverse()

# %% bug: swaps with the neighbour
#-        j = len(out) - 1
#-        while out[j] <= out[i]:
#-            j -= 1
#+        j = i + 1

# %% bug: the previous permutation
def next_permutation(values):
    out = list(values)
    i = len(out) - 2
    while i >= 0 and out[i] <= out[i + 1]:
        i -= 1
    if i >= 0:
        j = len(out) - 1
        while out[j] >= out[i]:
            j -= 1
        out[i], out[j] = out[j], out[i]
    out[i + 1 :] = reversed(out[i + 1 :])
    return out

# %% subtle bug: may swap equal numbers
# witness: next_permutation([1, 5, 1])
#-        while out[j] <= out[i]:
#+        while out[j] < out[i]:

# %% subtle bug: changes the list given
# witness: (lambda values: (next_permutation(values), values))([1, 2, 3])
#-    out = list(values)
#+    out = values
