# Moving average
# topics: lists, numbers

# %% prompt
def moving_average(values: list[float], window: int) -> list[float]:
    """Return the averages of all runs of window consecutive values, from left to right.

    When there are fewer than window values, the result is empty. window is at least 1.

    moving_average([1, 2, 3, 4], 2) == [1.5, 2.5, 3.5]
    """

# %% reference
def moving_average(values, window):
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]

# %% golden
assert moving_average([1, 2, 3, 4], 2) == [1.5, 2.5, 3.5]
assert moving_average([], 3) == []
assert moving_average([5], 1) == [5.0]
assert moving_average([1, 2], 3) == []
assert moving_average([4, 8, 12], 3) == [8.0]
assert moving_average([1, 2, 3], 1) == [1.0, 2.0, 3.0]
assert moving_average([-2, 2, -2, 2], 2) == [0.0, 0.0, 0.0]
assert moving_average([0.5, 1.5, 2.5], 2) == [1.0, 2.0]

# %% bug: misses the last window
#-    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
#+    return [sum(values[i : i + window]) / window for i in range(len(values) - window)]

# %% bug: windows hang over the end
#-    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
#+    return [sum(values[i : i + window]) / window for i in range(len(values))]

# %% bug: divides as whole numbers
#-    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
#+    return [sum(values[i : i + window]) // window for i in range(len(values) - window + 1)]

# %% bug: windows do not overlap
#-    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]
#+    return [sum(values[i : i + window]) / window for i in range(0, len(values) - window + 1, window)]

# %% subtle bug: a running sum that loses small values beside large ones
# witness: moving_average([1e17, 1.0, 1.0, 1.0], 2)
def moving_average(values, window):
    if len(values) < window:
        return []
    total = sum(values[:window])
    out = [total / window]
    for i in range(window, len(values)):
        total += values[i] - values[i - window]
        out.append(total / window)
    return out
