# The longest rising subsequence
# topics: lists, dynamic programming, searching

# %% prompt
def longest_rising(numbers: list[int]) -> int:
    """Return how many numbers the longest strictly rising subsequence has; its numbers need not be neighbours.

    longest_rising([10, 9, 2, 5, 3, 7, 101, 18]) == 4
    """

# %% reference
def longest_rising(numbers):
    from bisect import bisect_left

    tails = []
    for number in numbers:
        place = bisect_left(tails, number)
        tails[place : place + 1] = [number]
    return len(tails)

# %% golden
assert longest_rising([10, 9, 2, 5, 3, 7, 101, 18]) == 4
assert longest_rising([]) == 0
assert longest_rising([4]) == 1
assert longest_rising([1, 2, 3]) == 3
assert longest_rising([3, 2, 1]) == 1
assert longest_rising([0, 8, 4, 12, 2]) == 3
assert longest_rising([1, 3, 2, 4]) == 3
assert longest_rising([-5, -1, -3, 0]) == 3

# %% bug: neighbours only
def longest_rising(numbers):
    best = run = 0
    for i, number in enumerate(numbers):
        run = run + 1 if i and number > numbers[i - 1] else 1
        best = max(best, run)
    return best

# %% bug: takes what is larger than the last one taken
def longest_rising(numbers):
    taken = []
    for number in numbers:
        if not taken or number > taken[-1]:
            taken.append(number)
    return len(taken)

# %% bug: one even without numbers
#-    return len(tails)
#+    return max(len(tails), 1)

# %% bug: counts the numbers larger than the first
def longest_rising(numbers):
    return 1 + sum(number > numbers[0] for number in numbers) if numbers else 0

# %% subtle bug: equal numbers may follow each other
# witness: longest_rising([2, 2, 2])
#-    from bisect import bisect_left
#+    from bisect import bisect_right as bisect_left
