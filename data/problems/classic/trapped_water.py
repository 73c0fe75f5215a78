# Rain between walls
# topics: lists, two pointers

# %% prompt
def trapped_water(heights: list[int]) -> int:
    """Return how much rain a row of walls of width 1 and the given heights holds.

    trapped_water([0, 1, 0, 2, 1, 0, 1, 3]) == 5
    """

# %% reference
def trapped_water(heights):
    total = 0
    for i, height in enumerate(heights):
        level = min(max(heights[: i + 1]), max(heights[i:]))
        total += level - height
    return total

# %% golden
assert trapped_water([0, 1, 0, 2, 1, 0, 1, 3]) == 5
assert trapped_water([]) == 0
assert trapped_water([5]) == 0
assert trapped_water([1, 2, 3]) == 0
assert trapped_water([3, 0, 3]) == 3
assert trapped_water([3, 0, 2]) == 2
assert trapped_water([2, 2, 2]) == 0
assert trapped_water([3, 2, 1]) == 0
assert trapped_water([4, 1, 3]) == 2

# %% bug: fills up to the highest wall
#-        level = min(max(heights[: i + 1]), max(heights[i:]))
#+        level = max(heights)

# %% bug: looks to the left only
#-        level = min(max(heights[: i + 1]), max(heights[i:]))
#+        level = max(heights[: i + 1])

# %% bug: looks at the two neighbours only
def trapped_water(heights):
    return sum(max(min(heights[i - 1], heights[i + 1]) - heights[i], 0) for i in range(1, len(heights) - 1))

# %% bug: forgets to take off the wall itself
#-        total += level - height
#+        total += level if level > height else 0

# %% subtle bug: fills up between neighbouring peaks only
# witness: trapped_water([5, 1, 2, 1, 5])
def trapped_water(heights):
    padded = [-1, *heights, -1]
    peaks = [i for i in range(len(heights)) if padded[i] <= padded[i + 1] >= padded[i + 2]]
    total = 0
    for left, right in zip(peaks, peaks[1:]):
        level = min(heights[left], heights[right])
        total += sum(max(level - height, 0) for height in heights[left:right])
    return total
