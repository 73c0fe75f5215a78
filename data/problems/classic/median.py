# The median
# topics: numbers, lists, sorting

# %% prompt
def median(numbers: list[float]) -> float | None:
    """Return the middle one of the sorted numbers; for an even count the mean of the two in the middle.

    Without numbers the median is None. The list given is not changed.

    median([3, 1, 2]) == 2
    median([4, 1, 3, 2]) == 2.5
    """

# %% reference
def median(numbers):
    if not numbers:
        return None
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2

# %% golden
assert median([3, 1, 2]) == 2
assert median([4, 1, 3, 2]) == 2.5
assert median([]) is None
assert median([7]) == 7
assert median([1, 2]) == 1.5
assert median([5, 5, 5]) == 5
assert median([-1, -5, -3]) == -3
assert median([10, 2, 38, 23, 39, 22, 21]) == 22
assert median([1, 3, 5, 7]) == 4

# %% bug: does not sort
#-    ordered = sorted(numbers)
#+    ordered = list(numbers)

# %% bug: the upper one of the two in the middle
#-    return (ordered[middle - 1] + ordered[middle]) / 2
#+    return ordered[middle]

# %% bug: the mean as a whole number
#-    return (ordered[middle - 1] + ordered[middle]) / 2
#+    return (ordered[middle - 1] + ordered[middle]) // 2

# %% bug: the mean of all numbers
def median(numbers):
    return sum(numbers) / len(numbers) if numbers else None

# %% subtle bug: sorts the list given
# witness: (lambda numbers: (median(numbers), numbers))([3, 1, 2])
#-    ordered = sorted(numbers)
#+    numbers.sort()
#+    ordered = numbers

# %% subtle bug: sorts the set of numbers
# witness: median([1, 1, 1, 2, 9])
#-    ordered = sorted(numbers)
#+    ordered = sorted(set(numbers))
