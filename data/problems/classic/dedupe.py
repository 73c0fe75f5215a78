# Removing repeats in order
# topics: lists, dicts

# %% prompt
def dedupe(items: list) -> list:
    """Return the items without those equal to an earlier one, in their order.

    Items may be of any kind, lists and dictionaries included.

    dedupe([3, 1, 3, 2, 1]) == [3, 1, 2]
    """

# %% reference
def dedupe(items):
    out = []
    for item in items:
        if item not in out:
            out.append(item)
    return out

# %% golden
assert dedupe([3, 1, 3, 2, 1]) == [3, 1, 2]
assert dedupe([]) == []
assert dedupe(["a"]) == ["a"]
assert dedupe([1, 1, 1]) == [1]
assert dedupe(["b", "a", "b"]) == ["b", "a"]
assert dedupe([[1], [2], [1]]) == [[1], [2]]
assert dedupe([None, 0, None]) == [None, 0]
assert dedupe([{"k": 1}, {"k": 1}]) == [{"k": 1}]

# %% bug: sorts
def dedupe(items):
    return sorted({repr(item): item for item in items}.values(), key=repr)

# %% bug: needs hashable items
def dedupe(items):
    return list(dict.fromkeys(items))

# %% bug: neighbours only
#-        if item not in out:
#+        if not out or out[-1] != item:

# %% bug: keeps the last of equal items
def dedupe(items):
    return [item for i, item in enumerate(items) if item not in items[i + 1 :]]

# %% subtle bug: compares what is printed
# witness: dedupe([1, 1.0, True])
def dedupe(items):
    seen, out = set(), []
    for item in items:
        if repr(item) not in seen:
            seen.add(repr(item))
            out.append(item)
    return out
