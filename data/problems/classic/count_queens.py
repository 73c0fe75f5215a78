# Ways to place queens
# topics: recursion, backtracking

# %% prompt
def count_queens(n: int) -> int:
    """Return in how many ways n queens can stand on an n by n chessboard so that none attacks another.

    Mirrored and turned boards count as different. There is one way to place no queens on an empty board.

    count_queens(4) == 2
    """

# %% reference
def count_queens(n):
    def place(row, columns, rising, falling):
        if row == n:
            return 1
        total = 0
        for column in range(n):
            if column not in columns and row + column not in rising and row - column not in falling:
                total += place(row + 1, columns | {column}, rising | {row + column}, falling | {row - column})
        return total

    return place(0, frozenset(), frozenset(), frozenset())

# %% golden
assert count_queens(4) == 2
assert count_queens(0) == 1
assert count_queens(1) == 1
assert count_queens(2) == 0
assert count_queens(3) == 0
assert count_queens(5) == 10
assert count_queens(6) == 4
assert count_queens(7) == 40

# %% bug: only looks at one diagonal
#-            if column not in columns and row + column not in rising and row - column not in falling:
#+            if column not in columns and row + column not in rising:

# %% bug: places rooks
#-            if column not in columns and row + column not in rising and row - column not in falling:
#+            if column not in columns:

# %% bug: no way for the empty board
#-        if row == n:
#-            return 1
#+        if row == n:
#+            return 1 if n else 0

# %% bug: neighbouring rows only
def count_queens(n):
    def place(row, queens):
        if row == n:
            return 1
        total = 0
        for column in range(n):
            if column not in queens and (not queens or abs(queens[-1] - column) != 1):
                total += place(row + 1, [*queens, column])
        return total

    return place(0, [])

# %% subtle bug: checks the seven rows before only
# witness: count_queens(9)
def count_queens(n):
    def safe(queens, column):
        if column in queens:
            return False
        return all(abs(column - queens[-k]) != k for k in range(1, min(len(queens), 7) + 1))

    def place(queens):
        if len(queens) == n:
            return 1
        return sum(place([*queens, column]) for column in range(n) if safe(queens, column))

    return place([])
