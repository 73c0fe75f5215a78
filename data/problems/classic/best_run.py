# The largest sum of neighbouring numbers
# topics: lists, dynamic programming

# %% prompt
def best_run(numbers: list[int]) -> int:
    """Return the largest sum of one or more neighbouring numbers; 0 when there are no numbers at all.

    best_run([-2, 1, -3, 4, -1, 2, 1, -5, 4]) == 6
    """

# %% reference
def best_run(numbers):
    if not numbers:
        return 0
    best = current = numbers[0]
    for number in numbers[1:]:
        current = max(current, 0) + number
        best = max(best, current)
    return best

# %% golden
assert best_run([-2, 1, -3, 4, -1, 2, 1, -5, 4]) == 6
assert best_run([]) == 0
assert best_run([5]) == 5
assert best_run([1, 2, 3]) == 6
assert best_run([0, 0]) == 0
assert best_run([2, -1, 2]) == 3
assert best_run([-1, 3, -2]) == 3
assert best_run([3, -5, 4]) == 4

# %% bug: the sum of all positive numbers
def best_run(numbers):
    return sum(number for number in numbers if number > 0)

# %% bug: starts anew at every negative number
#-        current = max(current, 0) + number
#+        current = current + number if number > 0 else 0

# %% bug: crashes without numbers
#-    if not numbers:
#-        return 0
#+    pass

# %% bug: the sum at the end instead of the best one
#-    return best
#+    return current

# %% subtle bug: zero when all numbers are negative
# witness: best_run([-3, -1, -2])
#-    best = current = numbers[0]
#-    for number in numbers[1:]:
#+    best = current = 0
#+    for number in numbers:
