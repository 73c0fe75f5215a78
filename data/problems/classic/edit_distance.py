# Edit distance
# topics: strings, dynamic programming

# %% prompt
def edit_distance(a: str, b: str) -> int:
    """Return the smallest number of single-character insertions, deletions and replacements that turn a into b.

    edit_distance("kitten", "sitting") == 3
    """

# %% reference
def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y)))
    return row[-1]

# %% golden
assert edit_distance("kitten", "sitting") == 3
assert edit_distance("", "") == 0
assert edit_distance("abc", "") == 3
assert edit_distance("", "ab") == 2
assert edit_distance("same", "same") == 0
assert edit_distance("a", "b") == 1
assert edit_distance("flaw", "lawn") == 2
assert edit_distance("sunday", "saturday") == 3
assert edit_distance("abc", "xyz") == 3
assert edit_distance("abcd", "abc") == 1

# %% bug: a replacement counts twice
#-            row.append(min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y)))
#+            row.append(min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + 2 * (x != y)))

# %% bug: compares place by place
def edit_distance(a, b):
    return sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))

# %% bug: the first row is all zero
#-    row = list(range(len(b) + 1))
#+    row = [0] * (len(b) + 1)

# %% bug: knows no deletions
#-            row.append(min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y)))
#+            row.append(min(row[j - 1] + 1, previous[j - 1] + (x != y)))

# %% subtle bug: swapping two neighbours counts once
# witness: edit_distance("form", "from")
def edit_distance(a, b):
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
            )
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]
