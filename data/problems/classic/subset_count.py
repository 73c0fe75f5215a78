# Ways to make a sum
# topics: recursion, dynamic programming

# %% prompt
def subset_count(numbers: list[int], target: int) -> int:
    """Return in how many ways some of the numbers, each taken once at most, add up to target.

    Equal numbers at different places count as different. Taking nothing makes 0. Numbers may be negative or zero.

    subset_count([1, 2, 3], 3) == 2
    """

# %% reference
def subset_count(numbers, target):
    ways = {0: 1}
    for number in numbers:
        for total, count in list(ways.items()):
            ways[total + number] = ways.get(total + number, 0) + count
    return ways.get(target, 0)

# %% golden
assert subset_count([1, 2, 3], 3) == 2
assert subset_count([], 0) == 1
assert subset_count([], 5) == 0
assert subset_count([4], 4) == 1
assert subset_count([1, 1, 1], 2) == 3
assert subset_count([5, 10], 3) == 0
assert subset_count([-1, 1, 2], 2) == 2
assert subset_count([2, 4, 6], 6) == 2
assert subset_count([1, 2], 0) == 1
assert subset_count([9, 2], 2) == 1

# %% bug: takes numbers again and again
def subset_count(numbers, target):
    if target < 0:
        return 0
    ways = [1] + [0] * target
    for number in numbers:
        for total in range(max(number, 1), target + 1):
            ways[total] += ways[total - number]
    return ways[target]

# %% bug: equal numbers count once
#-    for number in numbers:
#+    for number in set(numbers):

# %% bug: taking nothing does not count
#-    return ways.get(target, 0)
#+    return ways.get(target, 0) - (target == 0)

# %% bug: gives up when a number is larger than the target
def subset_count(numbers, target):
    if target == 0:
        return 1
    if not numbers or numbers[0] > target:
        return 0
    return subset_count(numbers[1:], target) + subset_count(numbers[1:], target - numbers[0])

# %% subtle bug: stops as soon as the target is reached
# witness: subset_count([1, 0], 1)
def subset_count(numbers, target):
    if target == 0 and (not numbers or min(numbers) >= 0):
        return 1
    if not numbers:
        return 0
    return subset_count(numbers[1:], target) + subset_count(numbers[1:], target - numbers[0])
