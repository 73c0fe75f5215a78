"""heapq and bisect keep order."""
# topic: algorithms
# call: smallest([5, 1, 4, 2], 2)
# call: merged([1, 4], [2, 3])
# call: inserted([1, 3, 5], 4)
# call: shortest_path()

import bisect
import heapq


def smallest(xs, n):
    heap = list(xs)
    heapq.heapify(heap)
    return [heapq.heappop(heap) for _ in range(n)], heapq.nlargest(n, xs)


def merged(a, b):
    return list(heapq.merge(a, b))


def inserted(xs, x):
    bisect.insort(xs, x)
    return xs, bisect.bisect_left(xs, 3)


def shortest_path():
    roads = {"a": {"b": 1, "c": 5}, "b": {"c": 2}, "c": {}}
    best, queue = {}, [(0, "a")]
    while queue:
        cost, town = heapq.heappop(queue)
        if town not in best:
            best[town] = cost
            for other, length in roads[town].items():
                heapq.heappush(queue, (cost + length, other))
    return best
