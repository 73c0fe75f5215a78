# Prime numbers below a limit
# topics: numbers

# %% prompt
def primes_below(limit: int) -> list[int]:
    """Return all prime numbers smaller than limit in ascending order.

    primes_below(10) == [2, 3, 5, 7]
    """

# %% reference
def primes_below(limit):
    prime = [True] * max(limit, 0)
    out = []
    for n in range(2, limit):
        if prime[n]:
            out.append(n)
            for multiple in range(n * n, limit, n):
                prime[multiple] = False
    return out

# %% golden
assert primes_below(10) == [2, 3, 5, 7]
assert primes_below(0) == []
assert primes_below(2) == []
assert primes_below(3) == [2]
assert primes_below(-5) == []
assert primes_below(20) == [2, 3, 5, 7, 11, 13, 17, 19]
assert primes_below(23) == [2, 3, 5, 7, 11, 13, 17, 19]
assert primes_below(24) == [2, 3, 5, 7, 11, 13, 17, 19, 23]

# %% bug: includes the limit
#-    prime = [True] * max(limit, 0)
#+    limit += 1
#+    prime = [True] * max(limit, 0)

# %% bug: one is prime
#-    out = []
#+    out = [1] if limit > 1 else []

# %% bug: odd numbers only
#-    for n in range(2, limit):
#+    for n in range(3, limit, 2):

# %% bug: crosses out the primes themselves
def primes_below(limit):
    return [n for n in range(2, limit) if all(n % d for d in range(2, n + 1))]

# %% subtle bug: tries the divisors 2, 3 and 5 only
# witness: primes_below(50)
def primes_below(limit):
    return [n for n in range(2, limit) if all(n == d or n % d for d in (2, 3, 5))]
