# The k-th largest number
# topics: lists, sorting, ties

# %% prompt
def kth_largest(numbers: list[int], k: int) -> int | None:
    """Return the k-th largest of the different numbers, the first being the largest; None when there are too few.

    kth_largest([5, 3, 5, 1], 2) == 3
    """

# %% reference
def kth_largest(numbers, k):
    ordered = sorted(set(numbers), reverse=True)
    return ordered[k - 1] if 1 <= k <= len(ordered) else None

# %% golden
assert kth_largest([5, 3, 5, 1], 2) == 3
assert kth_largest([], 1) is None
assert kth_largest([7], 1) == 7
assert kth_largest([7], 2) is None
assert kth_largest([1, 2, 3], 1) == 3
assert kth_largest([1, 2, 3], 3) == 1
assert kth_largest([4, 4, 4], 2) is None
assert kth_largest([-1, -2, -3], 2) == -2

# %% bug: repeats count
#-    ordered = sorted(set(numbers), reverse=True)
#+    ordered = sorted(numbers, reverse=True)

# %% bug: the k-th smallest
#-    ordered = sorted(set(numbers), reverse=True)
#+    ordered = sorted(set(numbers))

# %% bug: counts from zero
#-    return ordered[k - 1] if 1 <= k <= len(ordered) else None
#+    return ordered[k] if 0 <= k < len(ordered) else None

# %% subtle bug: place zero is the smallest
# witness: kth_largest([1, 2, 3], 0)
#-    return ordered[k - 1] if 1 <= k <= len(ordered) else None
#+    return ordered[k - 1] if k <= len(ordered) and ordered else None
