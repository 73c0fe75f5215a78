# Transposing ragged rows
# topics: matrices, lists

# %% prompt
def transpose_ragged(rows: list[list], fill=None) -> list[list]:
    """Turn rows into columns. Rows may have different lengths; where a row is too short, fill stands in.

    transpose_ragged([[1, 2, 3], [4]], 0) == [[1, 4], [2, 0], [3, 0]]
    """

# %% reference
def transpose_ragged(rows, fill=None):
    width = max((len(row) for row in rows), default=0)
    return [[row[c] if c < len(row) else fill for row in rows] for c in range(width)]

# %% golden
assert transpose_ragged([[1, 2, 3], [4]], 0) == [[1, 4], [2, 0], [3, 0]]
assert transpose_ragged([]) == []
assert transpose_ragged([[]]) == []
assert transpose_ragged([[1], [2]]) == [[1, 2]]
assert transpose_ragged([[1, 2]]) == [[1], [2]]
assert transpose_ragged([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]
assert transpose_ragged([[1], [2, 3]], "-") == [[1, 2], ["-", 3]]
assert transpose_ragged([["a", "b"], ["c"]]) == [["a", "c"], ["b", None]]

# %% bug: cuts to the shortest row
def transpose_ragged(rows, fill=None):
    return [list(column) for column in zip(*rows)]

# %% bug: as wide as the first row
#-    width = max((len(row) for row in rows), default=0)
#+    width = len(rows[0]) if rows else 0

# %% bug: always fills with None
#-    return [[row[c] if c < len(row) else fill for row in rows] for c in range(width)]
#+    return [[row[c] if c < len(row) else None for row in rows] for c in range(width)]

# %% bug: leaves out what is missing
#-    return [[row[c] if c < len(row) else fill for row in rows] for c in range(width)]
#+    return [[row[c] for row in rows if c < len(row)] for c in range(width)]

# %% subtle bug: fills in for falsy values too
# witness: transpose_ragged([[0, 1], [2]], 9)
def transpose_ragged(rows, fill=None):
    width = max((len(row) for row in rows), default=0)
    return [[(row[c : c + 1] or [fill])[0] or fill for row in rows] for c in range(width)]
