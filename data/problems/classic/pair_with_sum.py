# Two numbers with a given sum
# topics: lists, dicts, searching

# %% prompt
def pair_with_sum(numbers: list[int], target: int) -> tuple[int, int] | None:
    """Return the indices (i, j), i < j, of two numbers that add up to target, or None.

    When several pairs do, return the one with the smallest j, and of those the one with the smallest i.

    pair_with_sum([2, 7, 11, 15], 9) == (0, 1)
    """

# %% reference
def pair_with_sum(numbers, target):
    first = {}
    for j, number in enumerate(numbers):
        if target - number in first:
            return first[target - number], j
        first.setdefault(number, j)
    return None

# %% golden
assert pair_with_sum([2, 7, 11, 15], 9) == (0, 1)
assert pair_with_sum([3, 3], 6) == (0, 1)
assert pair_with_sum([], 0) is None
assert pair_with_sum([5], 10) is None
assert pair_with_sum([1, 2, 3], 7) is None
assert pair_with_sum([3, 2, 4], 6) == (1, 2)
assert pair_with_sum([-3, 4, 3, 90], 0) == (0, 2)
assert pair_with_sum([1, 5, 5, 8], 10) == (1, 2)

# %% bug: uses one number twice
#-        if target - number in first:
#-            return first[target - number], j
#-        first.setdefault(number, j)
#+        first.setdefault(number, j)
#+        if target - number in first:
#+            return first[target - number], j

# %% bug: the numbers instead of their indices
#-            return first[target - number], j
#+            return target - number, number

# %% bug: the indices in the wrong order
#-            return first[target - number], j
#+            return j, first[target - number]

# %% bug: looks for neighbours only
def pair_with_sum(numbers, target):
    for i in range(len(numbers) - 1):
        if numbers[i] + numbers[i + 1] == target:
            return i, i + 1
    return None

# %% subtle bug: remembers the last place of a repeated number
# witness: pair_with_sum([4, 4, 6], 10)
#-        first.setdefault(number, j)
#+        first[number] = j

# %% subtle bug: the smallest i counts more than the smallest j
# witness: pair_with_sum([1, 2, 3, 4], 5)
def pair_with_sum(numbers, target):
    for i in range(len(numbers)):
        for j in range(i + 1, len(numbers)):
            if numbers[i] + numbers[j] == target:
                return i, j
    return None
