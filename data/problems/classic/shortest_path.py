# The shortest way through a maze
# topics: graphs, matrices, searching

# %% prompt
def shortest_path(maze: list[str]) -> int:
    """Return the smallest number of steps from the top left to the bottom right corner of a maze, or -1.

    Steps go up, down, left or right onto fields that are not "#". When one of the two corners is "#" there is no way;
    when both are the same field, the way has no steps. The maze has at least one row and one column.

    shortest_path(["..", "#."]) == 2
    """

# %% reference
def shortest_path(maze):
    goal = (len(maze) - 1, len(maze[0]) - 1)
    if maze[0][0] == "#":
        return -1
    seen, frontier, steps = {(0, 0)}, [(0, 0)], 0
    while frontier:
        if goal in frontier:
            return steps
        following = []
        for r, c in frontier:
            for place in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                inside = 0 <= place[0] <= goal[0] and 0 <= place[1] <= goal[1]
                if inside and place not in seen and maze[place[0]][place[1]] != "#":
                    seen.add(place)
                    following.append(place)
        frontier, steps = following, steps + 1
    return -1

# %% golden
assert shortest_path(["..", "#."]) == 2
assert shortest_path(["."]) == 0
assert shortest_path(["#"]) == -1
assert shortest_path([".#", "#."]) == -1
assert shortest_path(["...", ".#.", "..."]) == 4
assert shortest_path(["....."]) == 4
assert shortest_path([".#.", ".#.", "..."]) == 4
assert shortest_path(["..", ".#"]) == -1
assert shortest_path(["#.", ".."]) == -1

# %% bug: counts fields
#-            return steps
#+            return steps + 1

# %% bug: diagonal steps too
#-            for place in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
#+            for place in [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]:

# %% bug: does not look at the start
#-    if maze[0][0] == "#":
#-        return -1
#+    pass

# %% bug: as the crow flies
def shortest_path(maze):
    blocked = "#" in (maze[0][0], maze[-1][-1])
    return -1 if blocked else len(maze) + len(maze[0]) - 2

# %% subtle bug: never steps up
# witness: shortest_path([".#...", ".#.#.", "...#."])
#-            for place in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
#+            for place in ((r + 1, c), (r, c + 1), (r, c - 1)):
