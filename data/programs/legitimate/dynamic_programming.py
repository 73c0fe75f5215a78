"""Tables, knapsacks and edit distances compute what they should."""
# topic: algorithms
# call: distance("kitten", "sitting")
# call: knapsack([(12, 4), (2, 2), (1, 1), (4, 10)], 15)
# call: change(100, [1, 5, 10, 25, 50])

def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def knapsack(items, room):
    best = [0] * (room + 1)
    for weight, value in items:
        for size in range(room, weight - 1, -1):
            best[size] = max(best[size], best[size - weight] + value)
    return best[room]


def change(amount, coins):
    ways = [1] + [0] * amount
    for coin in coins:
        for total in range(coin, amount + 1):
            ways[total] += ways[total - coin]
    return ways[amount]
