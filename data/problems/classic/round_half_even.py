# Bankers' rounding to cents
# topics: numbers, rounding

# %% prompt
def round_half_even(amount: int) -> int:
    """Round an amount in tenths of a cent to whole cents; an amount exactly between two goes to the even one.

    round_half_even(14) == 1
    round_half_even(15) == 2
    round_half_even(25) == 2
    round_half_even(-15) == -2
    """

# %% reference
def round_half_even(amount):
    cents, rest = divmod(amount, 10)
    if rest > 5 or (rest == 5 and cents % 2 == 1):
        cents += 1
    return cents

# %% golden
assert round_half_even(14) == 1
assert round_half_even(15) == 2
assert round_half_even(25) == 2
assert round_half_even(0) == 0
assert round_half_even(5) == 0
assert round_half_even(26) == 3
assert round_half_even(-15) == -2
assert round_half_even(-14) == -1
assert round_half_even(100) == 10

# %% bug: half always goes up
#-    if rest > 5 or (rest == 5 and cents % 2 == 1):
#+    if rest >= 5:

# %% bug: half always goes down
#-    if rest > 5 or (rest == 5 and cents % 2 == 1):
#+    if rest > 5:

# %% bug: half goes to the odd cent
#-    if rest > 5 or (rest == 5 and cents % 2 == 1):
#+    if rest > 5 or (rest == 5 and cents % 2 == 0):

# %% bug: cuts off
def round_half_even(amount):
    return int(amount / 10)

# %% subtle bug: rounds as a float, which is not exact for large amounts
# witness: round_half_even(10**17 + 30)
def round_half_even(amount):
    return round(amount / 10)

# %% subtle bug: the sign of negative halves is handled apart, and even ones go away from zero
# witness: round_half_even(-25)
def round_half_even(amount):
    if amount < 0:
        return -((-amount + 5) // 10)
    cents, rest = divmod(amount, 10)
    return cents + (rest > 5 or (rest == 5 and cents % 2 == 1))
