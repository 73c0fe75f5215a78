"""A computation of a few tenths of a second and some tens of megabytes is within the limits."""
# topic: structures
# call: sieve(500_000)
# call: words(200_000)

def sieve(n):
    flags = [True] * n
    for p in range(2, int(n**0.5) + 1):
        if flags[p]:
            flags[p * p :: p] = [False] * len(range(p * p, n, p))
    return sum(flags[2:])


def words(n):
    return len({str(k) * 3 for k in range(n)})
