# Page ranges
# topics: strings, lists, formatting

# %% prompt
def compress_ranges(pages: list[int]) -> str:
    """Write page numbers as ranges, such as "1-3,5,7-8".

    Pages come in any order and may be repeated. Pages that follow each other form a range; a page without neighbours
    stands alone. Ranges are in ascending order, separated by commas.

    compress_ranges([1, 2, 3, 5]) == "1-3,5"
    """

# %% reference
def compress_ranges(pages):
    ranges = []
    for page in sorted(set(pages)):
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)

# %% golden
assert compress_ranges([1, 2, 3, 5]) == "1-3,5"
assert compress_ranges([]) == ""
assert compress_ranges([4]) == "4"
assert compress_ranges([3, 1, 2]) == "1-3"
assert compress_ranges([1, 3, 5]) == "1,3,5"
assert compress_ranges([7, 8]) == "7-8"
assert compress_ranges([10, 9, 12, 11]) == "9-12"
assert compress_ranges([1, 2, 4, 5, 7]) == "1-2,4-5,7"

# %% bug: loses the last range
#-    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
#+    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges[:-1] or ranges)

# %% bug: does not sort
#-    for page in sorted(set(pages)):
#+    for page in pages:

# %% bug: single pages as ranges
#-    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
#+    return ",".join(f"{a}-{b}" for a, b in ranges)

# %% bug: two pages do not make a range
#-    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
#+    return ",".join(str(a) if a == b else f"{a},{b}" if b == a + 1 else f"{a}-{b}" for a, b in ranges)

# %% subtle bug: a repeated page breaks a range
# witness: compress_ranges([1, 2, 2, 3])
#-    for page in sorted(set(pages)):
#+    for page in sorted(pages):
