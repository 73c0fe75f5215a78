# Flood fill
# topics: matrices, graphs, recursion

# %% prompt
def flood_fill(image: list[list[int]], row: int, column: int, color: int) -> list[list[int]]:
    """Return a copy of image in which the area around (row, column) has the new color.

    The area is everything of the same color as the starting point that can be reached from it by steps up, down, left
    and right on that color. The image given is not changed.

    flood_fill([[1, 1], [0, 1]], 0, 0, 2) == [[2, 2], [0, 2]]
    """

# %% reference
def flood_fill(image, row, column, color):
    out = [list(line) for line in image]
    old = out[row][column]
    todo = [(row, column)] if old != color else []
    while todo:
        r, c = todo.pop()
        if 0 <= r < len(out) and 0 <= c < len(out[r]) and out[r][c] == old:
            out[r][c] = color
            todo += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
    return out

# %% golden
assert flood_fill([[1, 1], [0, 1]], 0, 0, 2) == [[2, 2], [0, 2]]
assert flood_fill([[5]], 0, 0, 7) == [[7]]
assert flood_fill([[1, 0, 1]], 0, 0, 3) == [[3, 0, 1]]
assert flood_fill([[1, 0], [0, 1]], 0, 0, 9) == [[9, 0], [0, 1]]
assert flood_fill([[2, 2], [2, 2]], 1, 1, 2) == [[2, 2], [2, 2]]
assert flood_fill([[0, 0, 0], [0, 1, 0], [0, 0, 0]], 1, 1, 4) == [[0, 0, 0], [0, 4, 0], [0, 0, 0]]
assert flood_fill([[0, 0, 0], [0, 1, 0], [0, 0, 0]], 0, 0, 4) == [[4, 4, 4], [4, 1, 4], [4, 4, 4]]
assert flood_fill([[1], [1], [2]], 0, 0, 2) == [[2], [2], [2]]

# %% bug: diagonal steps too
#-            todo += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
#+            todo += [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]

# %% bug: loops for ever when the color stays
#-    todo = [(row, column)] if old != color else []
#+    todo = [(row, column)]

# %% bug: recolors everything of that color
def flood_fill(image, row, column, color):
    old = image[row][column]
    return [[color if cell == old else cell for cell in line] for line in image]

# %% bug: only the starting row
#-            todo += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
#+            todo += [(r, c + 1), (r, c - 1)]

# %% subtle bug: walks over the upper edge to the last row
# witness: flood_fill([[1], [2], [1]], 0, 0, 5)
#-        if 0 <= r < len(out) and 0 <= c < len(out[r]) and out[r][c] == old:
#+        if -1 <= r < len(out) and 0 <= c < len(out[r]) and out[r][c] == old:

# %% subtle bug: changes the image given
# witness: (lambda image: (flood_fill(image, 0, 0, 2), image))([[1, 1], [0, 1]])
#-    out = [list(line) for line in image]
#+    out = image
