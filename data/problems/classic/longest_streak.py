# Longest winning streak
# topics: lists, ties

# %% prompt
def longest_streak(results: list[str]) -> tuple[int, int]:
    """Return (length, start) of the longest streak of "win" among results; the first one of several longest.

    Without any win return (0, -1).

    longest_streak(["win", "loss", "win", "win"]) == (2, 2)
    """

# %% reference
def longest_streak(results):
    best, start, length = (0, -1), 0, 0
    for i, result in enumerate(results):
        if result != "win":
            length = 0
            continue
        if length == 0:
            start = i
        length += 1
        if length > best[0]:
            best = (length, start)
    return best

# %% golden
assert longest_streak(["win", "loss", "win", "win"]) == (2, 2)
assert longest_streak([]) == (0, -1)
assert longest_streak(["loss"]) == (0, -1)
assert longest_streak(["win"]) == (1, 0)
assert longest_streak(["win", "win", "win"]) == (3, 0)
assert longest_streak(["loss", "win", "loss"]) == (1, 1)
assert longest_streak(["win", "loss", "win"]) == (1, 0)
assert longest_streak(["draw", "win", "win", "draw"]) == (2, 1)

# %% bug: the last of several longest streaks
#-        if length > best[0]:
#+        if length >= best[0]:

# %% bug: forgets a streak at the end
def longest_streak(results):
    best, length = (0, -1), 0
    for i, result in enumerate(results):
        if result == "win":
            length += 1
        else:
            if length > best[0]:
                best = (length, i - length)
            length = 0
    return best

# %% bug: counts all wins
def longest_streak(results):
    return (results.count("win"), results.index("win")) if "win" in results else (0, -1)

# %% bug: zero instead of minus one
#-    best, start, length = (0, -1), 0, 0
#+    best, start, length = (0, 0), 0, 0

# %% subtle bug: a draw does not end a streak
# witness: longest_streak(["win", "draw", "win"])
#-        if result != "win":
#-            length = 0
#-            continue
#+        if result != "win":
#+            length = 0 if result == "loss" else length
#+            continue
