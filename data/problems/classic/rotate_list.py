# Rotating a list
# topics: lists

# %% prompt
def rotate_list(items: list, steps: int) -> list:
    """Return items with everything moved steps places to the right; what leaves at the end comes in at the front.

    A negative number moves to the left. steps may be larger than the list. The list given is not changed.

    rotate_list([1, 2, 3, 4], 1) == [4, 1, 2, 3]
    """

# %% reference
def rotate_list(items, steps):
    if not items:
        return []
    cut = -steps % len(items)
    return items[cut:] + items[:cut]

# %% golden
assert rotate_list([1, 2, 3, 4], 1) == [4, 1, 2, 3]
assert rotate_list([], 3) == []
assert rotate_list([1], 5) == [1]
assert rotate_list([1, 2, 3], 0) == [1, 2, 3]
assert rotate_list([1, 2, 3], 3) == [1, 2, 3]
assert rotate_list([1, 2, 3], -1) == [2, 3, 1]
assert rotate_list(["a", "b", "c"], 2) == ["b", "c", "a"]
assert rotate_list([1, 2, 3, 4], 5) == [4, 1, 2, 3]

# %% bug: moves to the left
#-    cut = -steps % len(items)
#+    cut = steps % len(items)

# %% bug: crashes on an empty list
#-    if not items:
#-        return []
#+    pass

# %% bug: steps may not be larger than the list
#-    cut = -steps % len(items)
#+    cut = len(items) - steps

# %% bug: reverses the part that comes to the front
#-    return items[cut:] + items[:cut]
#+    return items[cut:][::-1] + items[:cut]

# %% subtle bug: large negative steps go too far
# witness: rotate_list([1, 2, 3], -4)
#-    cut = -steps % len(items)
#+    cut = -steps if steps < 0 else -steps % len(items)
