# Merging intervals
# topics: lists, sorting, intervals

# %% prompt
def merge_intervals(intervals: list[list[int]]) -> list[list[int]]:
    """Merge the intervals [start, end] that overlap or touch, and return what remains in ascending order.

    Intervals include both ends, so [1, 2] and [2, 3] make [1, 3], but [1, 2] and [3, 4] stay apart. They come in any
    order.

    merge_intervals([[1, 3], [2, 6], [8, 10]]) == [[1, 6], [8, 10]]
    """

# %% reference
def merge_intervals(intervals):
    out = []
    for start, end in sorted(intervals):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out

# %% golden
assert merge_intervals([[1, 3], [2, 6], [8, 10]]) == [[1, 6], [8, 10]]
assert merge_intervals([]) == []
assert merge_intervals([[1, 2]]) == [[1, 2]]
assert merge_intervals([[1, 2], [2, 3]]) == [[1, 3]]
assert merge_intervals([[1, 2], [3, 4]]) == [[1, 2], [3, 4]]
assert merge_intervals([[5, 6], [1, 2]]) == [[1, 2], [5, 6]]
assert merge_intervals([[1, 4], [0, 2]]) == [[0, 4]]
assert merge_intervals([[-3, -1], [-2, 0]]) == [[-3, 0]]
assert merge_intervals([[1, 1], [1, 1]]) == [[1, 1]]

# %% bug: does not sort
#-    for start, end in sorted(intervals):
#+    for start, end in intervals:

# %% bug: touching intervals stay apart
#-        if out and start <= out[-1][1]:
#+        if out and start < out[-1][1]:

# %% bug: merges neighbours that do not touch
#-        if out and start <= out[-1][1]:
#+        if out and start <= out[-1][1] + 1:

# %% subtle bug: an interval inside another shortens it
# witness: merge_intervals([[1, 10], [2, 3]])
#-            out[-1][1] = max(out[-1][1], end)
#+            out[-1][1] = end

# %% subtle bug: changes the intervals given
# witness: (lambda intervals: (merge_intervals(intervals), intervals))([[1, 3], [2, 6]])
#-            out.append([start, end])
#+            out.append(next(pair for pair in intervals if list(pair) == [start, end]))
