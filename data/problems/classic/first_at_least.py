# Lower bound by binary search
# topics: lists, searching

# %% prompt
def first_at_least(values: list[int], target: int) -> int:
    """Return the index of the first element of the ascending list values that is at least target.

    When every element is smaller, return the length of the list.

    first_at_least([1, 3, 5], 4) == 2
    first_at_least([1, 3, 3, 5], 3) == 1
    """

# %% reference
def first_at_least(values, target):
    lo, hi = 0, len(values)
    while lo < hi:
        mid = (lo + hi) // 2
        if values[mid] < target:
            lo = mid + 1
        else:
            hi = mid
    return lo

# %% golden
assert first_at_least([1, 3, 5], 4) == 2
assert first_at_least([1, 3, 3, 5], 3) == 1
assert first_at_least([], 1) == 0
assert first_at_least([2], 2) == 0
assert first_at_least([2], 3) == 1
assert first_at_least([2], 1) == 0
assert first_at_least([1, 2, 3, 4], 9) == 4
assert first_at_least([-5, -3, 0, 8], -4) == 1
assert first_at_least([1, 3, 5, 7, 9], 7) == 3

# %% bug: finds the first larger element
#-        if values[mid] < target:
#+        if values[mid] <= target:

# %% bug: never looks past the last element
#-    lo, hi = 0, len(values)
#+    lo, hi = 0, max(len(values) - 1, 0)

# %% bug: minus one when there is none
#-    return lo
#+    return lo if lo < len(values) else -1

# %% bug: loops for ever
#-            lo = mid + 1
#+            lo = mid

# %% subtle bug: steps back only once from an equal element
# witness: first_at_least([4, 4, 4, 4, 4], 4)
#-        if values[mid] < target:
#+        if values[mid] == target:
#+            return mid if mid < 2 or values[mid - 1] != target else mid - 1
#+        if values[mid] < target:
