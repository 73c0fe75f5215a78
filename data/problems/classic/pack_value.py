# The most valuable bag
# topics: dynamic programming

# %% prompt
def pack_value(items: list[tuple[int, int]], capacity: int) -> int:
    """Return the greatest total value of items that fit into a bag together.

    An item is a pair (weight, value), both at least 0, and may be taken once. The weights of the items taken may add up
    to capacity at most.

    pack_value([(2, 3), (3, 4), (4, 5)], 5) == 7
    """

# %% reference
def pack_value(items, capacity):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]

# %% golden
assert pack_value([(2, 3), (3, 4), (4, 5)], 5) == 7
assert pack_value([], 10) == 0
assert pack_value([(5, 10)], 4) == 0
assert pack_value([(5, 10)], 5) == 10
assert pack_value([(1, 1)], 3) == 1
assert pack_value([(1, 1), (2, 6), (3, 10)], 5) == 16
assert pack_value([(6, 30), (3, 14), (4, 20)], 10) == 50
assert pack_value([(1, 5), (1, 5)], 0) == 0
assert pack_value([(2, 2), (2, 9)], 2) == 9

# %% bug: takes an item again and again
#-        for room in range(capacity, weight - 1, -1):
#+        for room in range(weight, capacity + 1):

# %% bug: an item may not fill the bag
#-        for room in range(capacity, weight - 1, -1):
#+        for room in range(capacity, weight, -1):

# %% bug: takes items in the order of the list
def pack_value(items, capacity):
    total = 0
    for weight, value in items:
        if weight <= capacity:
            capacity -= weight
            total += value
    return total

# %% subtle bug: greedy by value for weight
# witness: pack_value([(1, 2), (3, 5), (3, 5)], 6)
def pack_value(items, capacity):
    total = 0
    for weight, value in sorted(items, key=lambda item: -item[1] / (item[0] or 0.1)):
        if weight <= capacity:
            capacity -= weight
            total += value
    return total
