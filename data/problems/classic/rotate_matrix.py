# Turning a matrix
# topics: matrices

# %% prompt
def rotate_matrix(matrix: list[list[int]], turns: int) -> list[list[int]]:
    """Return matrix turned clockwise by turns quarter turns; a negative number turns it the other way.

    The matrix may be rectangular or empty. A copy is returned even when nothing turns.

    rotate_matrix([[1, 2], [3, 4]], 1) == [[3, 1], [4, 2]]
    """

# %% reference
def rotate_matrix(matrix, turns):
    out = [list(row) for row in matrix]
    for _ in range(turns % 4):
        out = [list(column)[::-1] for column in zip(*out)]
    return out

# %% golden
assert rotate_matrix([[1, 2], [3, 4]], 1) == [[3, 1], [4, 2]]
assert rotate_matrix([[1, 2], [3, 4]], 2) == [[4, 3], [2, 1]]
assert rotate_matrix([[1, 2], [3, 4]], -1) == [[2, 4], [1, 3]]
assert rotate_matrix([[1, 2], [3, 4]], 0) == [[1, 2], [3, 4]]
assert rotate_matrix([], 1) == []
assert rotate_matrix([[1, 2, 3]], 1) == [[1], [2], [3]]
assert rotate_matrix([[1, 2, 3], [4, 5, 6]], 1) == [[4, 1], [5, 2], [6, 3]]
assert rotate_matrix([[7]], 3) == [[7]]
assert rotate_matrix([[1, 2], [3, 4]], 4) == [[1, 2], [3, 4]]

# %% bug: turns the other way
#-        out = [list(column)[::-1] for column in zip(*out)]
#+        out = [list(column) for column in zip(*out)][::-1]

# %% bug: transposes
#-        out = [list(column)[::-1] for column in zip(*out)]
#+        out = [list(column) for column in zip(*out)]

# %% bug: negative turns do nothing
#-    for _ in range(turns % 4):
#+    for _ in range(turns):

# %% bug: rows become tuples
#-        out = [list(column)[::-1] for column in zip(*out)]
#+        out = list(zip(*out[::-1]))

# %% subtle bug: at most one whole turn backwards
# witness: rotate_matrix([[1, 2], [3, 4]], -5)
#-    for _ in range(turns % 4):
#+    for _ in range(turns + 4 if turns < 0 else turns):

# %% subtle bug: no copy when nothing turns
# witness: (lambda matrix: rotate_matrix(matrix, 4) is matrix)([[1]])
#-    out = [list(row) for row in matrix]
#+    out = matrix
