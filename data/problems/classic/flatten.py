# Flattening nested lists
# topics: lists, recursion

# %% prompt
def flatten(items: list) -> list:
    """Return the elements of a list whose lists, however deeply nested, are replaced by their elements.

    Only lists are opened; tuples, strings and everything else are elements.

    flatten([1, [2, [3, []]]]) == [1, 2, 3]
    """

# %% reference
def flatten(items):
    out = []
    for item in items:
        if isinstance(item, list):
            out.extend(flatten(item))
        else:
            out.append(item)
    return out

# %% golden
assert flatten([1, [2, [3, []]]]) == [1, 2, 3]
assert flatten([]) == []
assert flatten([[]]) == []
assert flatten([1, 2]) == [1, 2]
assert flatten(["ab", ["c"]]) == ["ab", "c"]
assert flatten([[[[7]]]]) == [7]
assert flatten([[1, 2], [3], 4]) == [1, 2, 3, 4]
assert flatten([None, [0, ["", False]]]) == [None, 0, "", False]

# %% bug: opens one level
#-            out.extend(flatten(item))
#+            out.extend(item)

# %% bug: loses falsy elements
#-        else:
#-            out.append(item)
#+        elif item:
#+            out.append(item)

# %% bug: keeps nesting
#-            out.extend(flatten(item))
#+            out.append(flatten(item))

# %% bug: opens strings
#-            out.append(item)
#+            out.extend(item if isinstance(item, str) else [item])

# %% subtle bug: opens tuples
# witness: flatten([(1, 2), [3]])
#-        if isinstance(item, list):
#+        if isinstance(item, (list, tuple)):

# %% subtle bug: gives up after ten levels
# witness: flatten([[[[[[[[[[[[1]]]]]]]]]]]])
def flatten(items):
    out = list(items)
    for _ in range(10):
        flat = []
        for item in out:
            flat.extend(item) if isinstance(item, list) else flat.append(item)
        out = flat
    return out
