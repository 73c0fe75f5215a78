# Least common multiple of many numbers
# topics: numbers

# %% prompt
def least_common_multiple(numbers: list[int]) -> int:
    """Return the smallest positive number that all the numbers divide; 1 when there are no numbers.

    Numbers may be negative; their sign does not matter. When one of them is 0 the result is 0.

    least_common_multiple([4, 6]) == 12
    """

# %% reference
def least_common_multiple(numbers):
    result = 1
    for number in numbers:
        a, b = result, abs(number)
        if b == 0:
            return 0
        while b:
            a, b = b, a % b
        result = result // a * abs(number)
    return result

# %% golden
assert least_common_multiple([4, 6]) == 12
assert least_common_multiple([]) == 1
assert least_common_multiple([7]) == 7
assert least_common_multiple([2, 3, 5]) == 30
assert least_common_multiple([0, 5]) == 0
assert least_common_multiple([-4, 6]) == 12
assert least_common_multiple([8, 4, 2]) == 8
assert least_common_multiple([1, 1]) == 1
assert least_common_multiple([21, 6]) == 42

# %% bug: the product
#-        result = result // a * abs(number)
#+        result = result * abs(number)

# %% bug: keeps the sign of the numbers
#-        result = result // a * abs(number)
#+        result = result // a * number

# %% bug: the largest number
def least_common_multiple(numbers):
    if 0 in numbers:
        return 0
    return max((abs(number) for number in numbers), default=1)

# %% subtle bug: divides by zero when zero occurs twice
# witness: least_common_multiple([0, 0])
#-        if b == 0:
#-            return 0
#+        pass

# %% subtle bug: divides as floats
# witness: least_common_multiple([10**17 + 3, 10**17 + 1])
#-        result = result // a * abs(number)
#+        result = int(result / a) * abs(number)
