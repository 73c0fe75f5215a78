# The majority element
# topics: lists, voting

# %% prompt
def majority(votes: list[str]) -> str | None:
    """Return the vote that occurs more often than all the others together, or None when there is no such vote.

    majority(["a", "b", "a"]) == "a"
    majority(["a", "b"]) is None
    """

# %% reference
def majority(votes):
    for vote in set(votes):
        if 2 * votes.count(vote) > len(votes):
            return vote
    return None

# %% golden
assert majority(["a", "b", "a"]) == "a"
assert majority(["a", "b"]) is None
assert majority([]) is None
assert majority(["x"]) == "x"
assert majority(["a", "a", "b", "b", "c"]) is None
assert majority(["b", "b", "b", "a"]) == "b"
assert majority(["a", "b", "c"]) is None
assert majority(["c", "a", "c", "b", "c"]) == "c"

# %% bug: the most frequent vote
def majority(votes):
    return max(set(votes), key=votes.count, default=None)

# %% bug: half is enough
#-        if 2 * votes.count(vote) > len(votes):
#+        if 2 * votes.count(vote) >= len(votes):

# %% bug: the middle of the sorted votes
def majority(votes):
    return sorted(votes)[len(votes) // 2] if votes else None

# %% bug: an empty text for no majority
#-    return None
#+    return ""

# %% subtle bug: an empty vote cannot win
# witness: majority(["", "a", ""])
def majority(votes):
    winner = next((vote for vote in votes if 2 * votes.count(vote) > len(votes)), None)
    return winner or None

# %% subtle bug: ignores case
# witness: majority(["a", "A", "b"])
#-    for vote in set(votes):
#+    votes = [vote.lower() for vote in votes]
#+    for vote in set(votes):
