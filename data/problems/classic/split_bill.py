# Splitting a bill
# topics: numbers, rounding

# %% prompt
def split_bill(cents: int, people: int) -> list[int]:
    """Split an amount of cents among people as evenly as possible; the first ones get the cents that are left over.

    A negative amount is a refund and is split in the same way: the first ones get the larger share of the refund. The
    shares always add up to the amount. There is at least one person.

    split_bill(10, 3) == [4, 3, 3]
    split_bill(-10, 3) == [-4, -3, -3]
    """

# %% reference
def split_bill(cents, people):
    share, rest = divmod(abs(cents), people)
    sign = -1 if cents < 0 else 1
    return [sign * (share + (i < rest)) for i in range(people)]

# %% golden
assert split_bill(10, 3) == [4, 3, 3]
assert split_bill(9, 3) == [3, 3, 3]
assert split_bill(0, 2) == [0, 0]
assert split_bill(5, 1) == [5]
assert split_bill(2, 3) == [1, 1, 0]
assert split_bill(11, 4) == [3, 3, 3, 2]
assert split_bill(-9, 3) == [-3, -3, -3]
assert split_bill(-5, 1) == [-5]
assert split_bill(100, 7) == [15, 15, 14, 14, 14, 14, 14]

# %% bug: loses the cents left over
#-    return [sign * (share + (i < rest)) for i in range(people)]
#+    return [sign * share for i in range(people)]

# %% bug: the first one gets everything left over
#-    return [sign * (share + (i < rest)) for i in range(people)]
#+    return [sign * (share + (rest if i == 0 else 0)) for i in range(people)]

# %% bug: the last ones get the cents left over
#-    return [sign * (share + (i < rest)) for i in range(people)]
#+    return [sign * (share + (i >= people - rest)) for i in range(people)]

# %% bug: rounds every share
def split_bill(cents, people):
    return [round(cents / people)] * people

# %% subtle bug: floor division makes refunds uneven the other way
# witness: split_bill(-10, 3)
def split_bill(cents, people):
    share, rest = divmod(cents, people)
    return [share + (i < rest) for i in range(people)]
