# Places in a competition
# topics: sorting, ties, dicts

# %% prompt
def rank_scores(scores: dict[str, int]) -> list[tuple[int, str]]:
    """Return (place, name) for every player, best score first, equal scores in alphabetical order of the names.

    Players with the same score share a place, and the places after them are left out: 1, 2, 2, 4.

    rank_scores({"ann": 5, "bob": 7, "cy": 7}) == [(1, "bob"), (1, "cy"), (3, "ann")]
    """

# %% reference
def rank_scores(scores):
    names = sorted(scores, key=lambda name: (-scores[name], name))
    return [(1 + sum(score > scores[name] for score in scores.values()), name) for name in names]

# %% golden
assert rank_scores({"ann": 5, "bob": 7, "cy": 7}) == [(1, "bob"), (1, "cy"), (3, "ann")]
assert rank_scores({}) == []
assert rank_scores({"a": 1}) == [(1, "a")]
assert rank_scores({"a": 1, "b": 2}) == [(1, "b"), (2, "a")]
assert rank_scores({"z": 3, "a": 3}) == [(1, "a"), (1, "z")]
assert rank_scores({"a": 0, "b": -1}) == [(1, "a"), (2, "b")]
assert rank_scores({"a": 9, "b": 8, "c": 8, "d": 7}) == [(1, "a"), (2, "b"), (2, "c"), (4, "d")]
assert rank_scores({"a": 10, "b": 9}) == [(1, "a"), (2, "b")]

# %% bug: everyone has a place of their own
#-    return [(1 + sum(score > scores[name] for score in scores.values()), name) for name in names]
#+    return [(place, name) for place, name in enumerate(names, 1)]

# %% bug: leaves no place out
#-    return [(1 + sum(score > scores[name] for score in scores.values()), name) for name in names]
#+    return [(1 + sum(score > scores[name] for score in set(scores.values())), name) for name in names]

# %% bug: the lowest score first
#-    names = sorted(scores, key=lambda name: (-scores[name], name))
#+    names = sorted(scores, key=lambda name: (scores[name], name))

# %% bug: equal scores in reverse alphabetical order
#-    names = sorted(scores, key=lambda name: (-scores[name], name))
#+    names = sorted(scores, key=lambda name: (scores[name], name), reverse=True)

# %% subtle bug: after a tie only one place is left out
# witness: rank_scores({"a": 5, "b": 5, "c": 5, "d": 1})
def rank_scores(scores):
    names = sorted(scores, key=lambda name: (-scores[name], name))
    out, place, tied = [], 0, False
    for i, name in enumerate(names):
        if i > 0 and scores[name] == scores[names[i - 1]]:
            tied = True
        else:
            place += 2 if tied else 1
            tied = False
        out.append((place, name))
    return out
