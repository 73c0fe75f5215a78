# Hits of a least-recently-used cache
# topics: simulation, dicts

# %% prompt
def lru_hits(requests: list[str], size: int) -> int:
    """Count how many requests a cache of the given size can answer.

    The cache starts empty. A request for a page in the cache is a hit, and makes the page the most recently used one.
    Otherwise the page is fetched and put into the cache; when the cache is full, the least recently used page leaves.
    A cache of size 0 never holds anything.

    lru_hits(["a", "b", "a", "c", "b"], 2) == 1
    """

# %% reference
def lru_hits(requests, size):
    cache = []
    hits = 0
    for page in requests:
        if page in cache:
            hits += 1
            cache.remove(page)
        elif len(cache) >= size:
            if size == 0:
                continue
            cache.pop(0)
        cache.append(page)
    return hits

# %% golden
assert lru_hits(["a", "b", "a", "c", "b"], 2) == 1
assert lru_hits([], 3) == 0
assert lru_hits(["a", "a", "a"], 1) == 2
assert lru_hits(["a", "b", "a", "b"], 1) == 0
assert lru_hits(["a", "b", "a", "b"], 2) == 2
assert lru_hits(["a", "a"], 0) == 0
assert lru_hits(["a", "b", "c", "a", "b", "c"], 2) == 0
assert lru_hits(["a", "b", "c", "a", "b", "c"], 3) == 3
assert lru_hits(["x", "y", "z", "z", "y", "q", "y"], 3) == 3

# %% bug: first in, first out
#-            cache.remove(page)
#+            continue

# %% bug: evicts the most recently used page
#-            cache.pop(0)
#+            cache.pop()

# %% bug: holds one page too many
#-        elif len(cache) >= size:
#+        elif len(cache) > size:

# %% bug: counts the misses
#-            hits += 1
#-            cache.remove(page)
#-        elif len(cache) >= size:
#+            cache.remove(page)
#+            hits -= 1
#+        elif len(cache) >= size:

# %% subtle bug: a hit moves a page up by one place only
# witness: lru_hits(["a", "b", "c", "a", "d", "e", "a"], 3)
#-            cache.remove(page)
#-        elif len(cache) >= size:
#+            place = cache.index(page)
#+            cache[place : place + 2] = cache[place : place + 2][::-1]
#+            continue
#+        elif len(cache) >= size:
