# The best trade
# topics: lists, numbers

# %% prompt
def best_trade(prices: list[int]) -> tuple[int, int] | None:
    """Return the days (buy, sell), buy < sell, of the trade with the greatest profit; None when no trade has a profit.

    Of several best trades, return the one with the earliest day to buy, and of those the earliest day to sell.

    best_trade([7, 1, 5, 3, 6, 4]) == (1, 4)
    """

# %% reference
def best_trade(prices):
    best, days = 0, None
    for buy in range(len(prices)):
        for sell in range(buy + 1, len(prices)):
            if prices[sell] - prices[buy] > best:
                best, days = prices[sell] - prices[buy], (buy, sell)
    return days

# %% golden
assert best_trade([7, 1, 5, 3, 6, 4]) == (1, 4)
assert best_trade([]) is None
assert best_trade([5]) is None
assert best_trade([5, 4, 3]) is None
assert best_trade([2, 2]) is None
assert best_trade([1, 2]) == (0, 1)
assert best_trade([3, 8, 1, 4]) == (0, 1)
assert best_trade([1, 5, 2, 5]) == (0, 1)
assert best_trade([2, 9, 1, 7]) == (0, 1)

# %% bug: the lowest and the highest price
def best_trade(prices):
    if len(prices) < 2:
        return None
    buy, sell = prices.index(min(prices)), prices.index(max(prices))
    return (buy, sell) if buy < sell else None

# %% bug: a trade without profit will do
#-    best, days = 0, None
#+    best, days = -1, None

# %% bug: the last day to sell
#-            if prices[sell] - prices[buy] > best:
#+            if prices[sell] - prices[buy] >= max(best, 1):

# %% bug: sells the day after
#-        for sell in range(buy + 1, len(prices)):
#+        for sell in range(buy + 1, min(buy + 2, len(prices))):

# %% subtle bug: moves to a later day with the same lowest price
# witness: best_trade([1, 1, 4])
def best_trade(prices):
    best, days, low = 0, None, 0
    for day, price in enumerate(prices):
        if price <= prices[low]:
            low = day
        if price - prices[low] > best:
            best, days = price - prices[low], (low, day)
    return days
