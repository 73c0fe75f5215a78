# A row of Pascal's triangle
# topics: numbers, lists

# %% prompt
def pascal_row(n: int) -> list[int]:
    """Return row n of Pascal's triangle; row 0 is [1], and every inner number is the sum of the two above it.

    pascal_row(4) == [1, 4, 6, 4, 1]
    """

# %% reference
def pascal_row(n):
    row = [1]
    for _ in range(n):
        row = [a + b for a, b in zip([0, *row], [*row, 0])]
    return row

# %% golden
assert pascal_row(4) == [1, 4, 6, 4, 1]
assert pascal_row(0) == [1]
assert pascal_row(1) == [1, 1]
assert pascal_row(2) == [1, 2, 1]
assert pascal_row(3) == [1, 3, 3, 1]
assert pascal_row(5) == [1, 5, 10, 10, 5, 1]
assert sum(pascal_row(10)) == 1024
assert pascal_row(6)[3] == 20

# %% bug: counts rows from one
#-    for _ in range(n):
#+    for _ in range(n - 1):

# %% bug: loses the last one
#-        row = [a + b for a, b in zip([0, *row], [*row, 0])]
#+        row = [a + b for a, b in zip([0, *row], row)]

# %% bug: misses the last inner number
def pascal_row(n):
    row = [1]
    for _ in range(n):
        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 2)] + [1]
    return row

# %% subtle bug: computes with floats
# witness: pascal_row(60)
def pascal_row(n):
    row = [1.0]
    for k in range(n):
        row.append(row[-1] * (n - k) / (k + 1))
    return [round(value) for value in row]
