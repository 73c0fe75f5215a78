# Which version is newer
# topics: strings, parsing, comparison

# %% prompt
def compare_versions(a: str, b: str) -> int:
    """Compare two version numbers such as "1.10.2" part by part as numbers.

    Return -1 if a is older than b, 1 if it is newer, 0 if they are the same version. Missing parts count as 0, so
    "1.0" and "1" are the same version, and leading zeros do not matter.

    compare_versions("1.10", "1.9") == 1
    """

# %% reference
def compare_versions(a, b):
    left = [int(part) for part in a.split(".")]
    right = [int(part) for part in b.split(".")]
    length = max(len(left), len(right))
    left += [0] * (length - len(left))
    right += [0] * (length - len(right))
    return (left > right) - (left < right)

# %% golden
assert compare_versions("1.10", "1.9") == 1
assert compare_versions("1.0", "1") == 0
assert compare_versions("1", "1.0.0") == 0
assert compare_versions("2.1", "2.1") == 0
assert compare_versions("0.9.9", "1.0.0") == -1
assert compare_versions("1.01", "1.1") == 0
assert compare_versions("1", "1.0.1") == -1
assert compare_versions("10.0", "9.9.9") == 1
assert compare_versions("3.2", "3.2.1") == -1

# %% bug: compares as text
def compare_versions(a, b):
    left, right = a.split("."), b.split(".")
    return (left > right) - (left < right)

# %% bug: compares as decimal numbers
def compare_versions(a, b):
    left, right = float(".".join(a.split(".")[:2])), float(".".join(b.split(".")[:2]))
    return (left > right) - (left < right)

# %% bug: a longer version is always newer
#-    left += [0] * (length - len(left))
#-    right += [0] * (length - len(right))
#+    pass

# %% subtle bug: looks at the common parts, then only at whether the longer one goes on with a number above zero
# witness: compare_versions("1.0.0.1", "1")
def compare_versions(a, b):
    left = [int(part) for part in a.split(".")]
    right = [int(part) for part in b.split(".")]
    for x, y in zip(left, right):
        if x != y:
            return 1 if x > y else -1
    if len(left) > len(right):
        return 1 if left[len(right)] > 0 else 0
    return -1 if any(right[len(left):]) else 0

# %% subtle bug: packs the parts into one number with room for two digits each
# witness: compare_versions("1.100", "2.0")
def compare_versions(a, b):
    def key(version):
        parts = ([int(part) for part in version.split(".")] + [0, 0, 0])[:4]
        return sum(part * 100 ** (3 - i) for i, part in enumerate(parts))

    return (key(a) > key(b)) - (key(a) < key(b))
