# A matrix read in a spiral
# topics: matrices

# %% prompt
def spiral_order(matrix: list[list[int]]) -> list[int]:
    """Read the numbers of a rectangular matrix in a clockwise spiral that starts at the top left.

    spiral_order([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == [1, 2, 3, 6, 9, 8, 7, 4, 5]

    The matrix may be empty and need not be square.
    """

# %% reference
def spiral_order(matrix):
    out = []
    rows = [list(row) for row in matrix]
    while rows:
        out += rows.pop(0)
        rows = [list(column) for column in zip(*rows)][::-1]
    return out

# %% golden
assert spiral_order([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == [1, 2, 3, 6, 9, 8, 7, 4, 5]
assert spiral_order([]) == []
assert spiral_order([[7]]) == [7]
assert spiral_order([[1, 2], [3, 4]]) == [1, 2, 4, 3]
assert spiral_order([[1, 2, 3]]) == [1, 2, 3]
assert spiral_order([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]) == [1, 2, 3, 4, 8, 12, 11, 10, 9, 5, 6, 7]
assert spiral_order([[]]) == []
assert spiral_order([[1, 2], [3, 4], [5, 6], [7, 8]]) == [1, 2, 4, 6, 8, 7, 5, 3]

# %% bug: turns the other way
#-        rows = [list(column) for column in zip(*rows)][::-1]
#+        rows = [list(column)[::-1] for column in zip(*rows)]

# %% bug: reads row by row, every second one backwards
def spiral_order(matrix):
    out = []
    for i, row in enumerate(matrix):
        out += row if i % 2 == 0 else row[::-1]
    return out

# %% bug: only the outermost ring
def spiral_order(matrix):
    if not matrix or not matrix[0]:
        return []
    if len(matrix) == 1:
        return list(matrix[0])
    top, bottom = matrix[0], matrix[-1]
    right = [row[-1] for row in matrix[1:-1]]
    left = [row[0] for row in matrix[1:-1]] if len(top) > 1 else []
    return top + right + bottom[::-1] + left[::-1]

# %% subtle bug: a single column that remains is read twice
# witness: spiral_order([[1], [2], [3]])
def spiral_order(matrix):
    if not matrix or not matrix[0]:
        return []
    top, bottom, left, right = 0, len(matrix) - 1, 0, len(matrix[0]) - 1
    out = []
    while top <= bottom and left <= right:
        out += [matrix[top][c] for c in range(left, right + 1)]
        out += [matrix[r][right] for r in range(top + 1, bottom + 1)]
        if top < bottom:
            out += [matrix[bottom][c] for c in range(right - 1, left - 1, -1)]
            out += [matrix[r][left] for r in range(bottom - 1, top, -1)]
        top, bottom, left, right = top + 1, bottom - 1, left + 1, right - 1
    return out
