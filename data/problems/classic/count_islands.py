# Islands on a map
# topics: graphs, matrices

# %% prompt
def count_islands(rows: list[str]) -> int:
    """Count the islands on a map on which "#" is land and everything else is water.

    Fields of land that touch at a side belong to one island; fields that touch at a corner only do not. Rows may have
    different lengths; what is missing is water.

    count_islands(["#.#", "#.."]) == 2
    """

# %% reference
def count_islands(rows):
    land = {(r, c) for r, row in enumerate(rows) for c, field in enumerate(row) if field == "#"}
    islands = 0
    while land:
        todo = [land.pop()]
        islands += 1
        while todo:
            r, c = todo.pop()
            for place in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                if place in land:
                    land.remove(place)
                    todo.append(place)
    return islands

# %% golden
assert count_islands(["#.#", "#.."]) == 2
assert count_islands([]) == 0
assert count_islands(["..."]) == 0
assert count_islands(["#"]) == 1
assert count_islands(["###", "###"]) == 1
assert count_islands(["#.", ".#"]) == 2
assert count_islands(["#.#.#"]) == 3
assert count_islands(["##.", ".#.", ".##"]) == 1
assert count_islands(["#", "##"]) == 1

# %% bug: counts fields of land
def count_islands(rows):
    return sum(row.count("#") for row in rows)

# %% bug: corners touch
#-            for place in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
#+            for place in [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]:

# %% bug: counts the runs of land in every row
def count_islands(rows):
    return sum(len([run for run in row.split(".") if run]) for row in rows)

# %% subtle bug: counts land with water above and to the left
# witness: count_islands([".#", "##"])
def count_islands(rows):
    def land(r, c):
        return 0 <= r < len(rows) and 0 <= c < len(rows[r]) and rows[r][c] == "#"

    return sum(
        land(r, c) and not land(r - 1, c) and not land(r, c - 1) for r, row in enumerate(rows) for c in range(len(row))
    )
