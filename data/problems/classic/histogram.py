# Counting values in bins
# topics: numbers, lists

# %% prompt
def histogram(values: list[float], low: float, high: float, bins: int) -> list[int]:
    """Count how many values fall into each of bins equally wide intervals from low to high.

    An interval includes its lower end and not its upper end, except the last one, which includes both. Values outside
    low to high are not counted.

    histogram([0, 1, 2, 3, 4], 0, 4, 2) == [2, 3]
    """

# %% reference
def histogram(values, low, high, bins):
    counts = [0] * bins
    for value in values:
        if low <= value <= high:
            place = int((value - low) * bins / (high - low))
            counts[min(place, bins - 1)] += 1
    return counts

# %% golden
assert histogram([0, 1, 2, 3, 4], 0, 4, 2) == [2, 3]
assert histogram([], 0, 1, 3) == [0, 0, 0]
assert histogram([5], 0, 1, 1) == [0]
assert histogram([0.5], 0, 1, 1) == [1]
assert histogram([1], 0, 1, 2) == [0, 1]
assert histogram([0.1, 0.6, 0.7], 0, 1, 2) == [1, 2]
assert histogram([10, 15, 20, 25, 30], 10, 30, 4) == [1, 1, 1, 2]
assert histogram([2, 2, 2], 0, 8, 4) == [0, 3, 0, 0]
assert histogram([0.4], 0, 1, 2) == [1, 0]

# %% bug: the upper end of the last interval is left out
#-        if low <= value <= high:
#+        if low <= value < high:

# %% bug: values outside go into the last interval
#-        if low <= value <= high:
#+        if low <= value:

# %% bug: intervals of a whole width
#-            place = int((value - low) * bins / (high - low))
#+            place = int((value - low) // max((high - low) // bins, 1))

# %% bug: forgets to subtract low
#-            place = int((value - low) * bins / (high - low))
#+            place = int(value * bins / (high - low))

# %% bug: rounds to the nearest interval
#-            place = int((value - low) * bins / (high - low))
#+            place = round((value - low) * bins / (high - low))

# %% subtle bug: values just below low are counted
# witness: histogram([-0.25], 0, 4, 4)
#-        if low <= value <= high:
#-            place = int((value - low) * bins / (high - low))
#+        place = int((value - low) * bins / (high - low))
#+        if 0 <= place and value <= high:
