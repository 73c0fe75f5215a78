# The fewest coins
# topics: dynamic programming, numbers

# %% prompt
def coin_change(coins: list[int], amount: int) -> int:
    """Return the smallest number of coins that add up to amount, or -1 when no coins do.

    Every coin may be used any number of times. Coins are positive and in no particular order. No coins are needed for
    the amount 0.

    coin_change([1, 5, 10], 12) == 3
    coin_change([5], 3) == -1
    """

# %% reference
def coin_change(coins, amount):
    best = [0] + [amount + 1] * amount
    for total in range(1, amount + 1):
        for coin in coins:
            if coin <= total:
                best[total] = min(best[total], best[total - coin] + 1)
    return best[amount] if best[amount] <= amount else -1

# %% golden
assert coin_change([1, 5, 10], 12) == 3
assert coin_change([5], 3) == -1
assert coin_change([1], 0) == 0
assert coin_change([], 7) == -1
assert coin_change([2], 4) == 2
assert coin_change([1, 2, 5], 11) == 3
assert coin_change([10, 5, 1], 30) == 3
assert coin_change([7, 3], 14) == 2
assert coin_change([4, 6], 9) == -1

# %% bug: every coin only once
#-    for total in range(1, amount + 1):
#-        for coin in coins:
#-            if coin <= total:
#-                best[total] = min(best[total], best[total - coin] + 1)
#+    for coin in coins:
#+        for total in range(amount, coin - 1, -1):
#+            best[total] = min(best[total], best[total - coin] + 1)

# %% bug: zero when it cannot be done
#-    return best[amount] if best[amount] <= amount else -1
#+    return best[amount] if best[amount] <= amount else 0

# %% bug: minus one for nothing
#-    return best[amount] if best[amount] <= amount else -1
#+    return best[amount] if 0 < best[amount] <= amount else -1

# %% bug: does not use a coin equal to the rest
#-            if coin <= total:
#+            if coin < total:

# %% subtle bug: greedy from the largest coin
# witness: coin_change([1, 3, 4], 6)
def coin_change(coins, amount):
    count = 0
    for coin in sorted(coins, reverse=True):
        count += amount // coin
        amount %= coin
    return count if amount == 0 else -1
