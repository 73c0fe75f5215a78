# One step of the game of life
# topics: matrices, simulation

# %% prompt
def life_step(grid: list[list[int]]) -> list[list[int]]:
    """Return the next generation of Conway's game of life; 1 is a living cell, 0 a dead one.

    A cell has up to eight neighbours; beyond the edge everything is dead. A living cell with two or three living
    neighbours stays alive, a dead one with exactly three comes to life, all other cells are dead.

    life_step([[0, 1, 0], [0, 1, 0], [0, 1, 0]]) == [[0, 0, 0], [1, 1, 1], [0, 0, 0]]
    """

# %% reference
def life_step(grid):
    def alive(r, c):
        return grid[r][c] if 0 <= r < len(grid) and 0 <= c < len(grid[r]) else 0

    out = []
    for r, row in enumerate(grid):
        line = []
        for c, cell in enumerate(row):
            around = sum(alive(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)) - cell
            line.append(1 if around == 3 or (around == 2 and cell) else 0)
        out.append(line)
    return out

# %% golden
assert life_step([[0, 1, 0], [0, 1, 0], [0, 1, 0]]) == [[0, 0, 0], [1, 1, 1], [0, 0, 0]]
assert life_step([]) == []
assert life_step([[1]]) == [[0]]
assert life_step([[0]]) == [[0]]
assert life_step([[1, 1], [1, 1]]) == [[1, 1], [1, 1]]
assert life_step([[1, 1], [1, 0]]) == [[1, 1], [1, 1]]
assert life_step([[0, 0, 0], [1, 1, 1], [0, 0, 0]]) == [[0, 1, 0], [0, 1, 0], [0, 1, 0]]
assert life_step([[1, 1, 1], [1, 1, 1], [1, 1, 1]]) == [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
assert life_step([[1, 1]]) == [[0, 0]]

# %% bug: a cell counts itself
#-            around = sum(alive(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)) - cell
#+            around = sum(alive(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1))

# %% bug: four neighbours
#-            around = sum(alive(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)) - cell
#+            around = alive(r + 1, c) + alive(r - 1, c) + alive(r, c + 1) + alive(r, c - 1)

# %% bug: two neighbours bring a cell to life
#-            line.append(1 if around == 3 or (around == 2 and cell) else 0)
#+            line.append(1 if around in (2, 3) else 0)

# %% bug: updates while counting
#-            line.append(1 if around == 3 or (around == 2 and cell) else 0)
#-        out.append(line)
#-    return out
#+            grid[r][c] = 1 if around == 3 or (around == 2 and cell) else 0
#+    return grid

# %% subtle bug: a living cell with four living neighbours stays alive
# witness: life_step([[1, 1, 1], [1, 1, 0], [0, 0, 0]])
#-            line.append(1 if around == 3 or (around == 2 and cell) else 0)
#+            line.append(1 if around == 3 or (around in (2, 4) and cell) else 0)
