# Prime factors
# topics: numbers

# %% prompt
def prime_factors(number: int) -> list[int]:
    """Return the prime factors of number (at least 1) in ascending order, each as often as it divides the number.

    prime_factors(12) == [2, 2, 3]
    """

# %% reference
def prime_factors(number):
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    if number > 1:
        factors.append(number)
    return factors

# %% golden
assert prime_factors(12) == [2, 2, 3]
assert prime_factors(1) == []
assert prime_factors(2) == [2]
assert prime_factors(13) == [13]
assert prime_factors(49) == [7, 7]
assert prime_factors(60) == [2, 2, 3, 5]
assert prime_factors(64) == [2, 2, 2, 2, 2, 2]
assert prime_factors(97) == [97]
assert prime_factors(221) == [13, 17]

# %% bug: each factor once
#-        while number % divisor == 0:
#-            factors.append(divisor)
#-            number //= divisor
#+        if number % divisor == 0:
#+            factors.append(divisor)
#+        while number % divisor == 0:
#+            number //= divisor

# %% bug: forgets what remains
#-    if number > 1:
#-        factors.append(number)
#+    pass

# %% bug: one is a factor of one
#-    if number > 1:
#+    if number > 1 or not factors:

# %% bug: stops before the square root
#-    while divisor * divisor <= number:
#+    while divisor * divisor < number:

# %% subtle bug: only divisors up to 19
# witness: prime_factors(23 * 29)
#-    while divisor * divisor <= number:
#+    while divisor < 20 and divisor * divisor <= number:
