# Days between two dates
# topics: dates, numbers

# %% prompt
def days_between(a: str, b: str) -> int:
    """Return how many days date b comes after date a; negative when it comes before. Dates are "YYYY-MM-DD".

    days_between("2024-02-28", "2024-03-01") == 2
    """

# %% reference
def days_between(a, b):
    from datetime import date

    return (date.fromisoformat(b) - date.fromisoformat(a)).days

# %% golden
assert days_between("2024-02-28", "2024-03-01") == 2
assert days_between("2023-02-28", "2023-03-01") == 1
assert days_between("2024-01-01", "2024-01-01") == 0
assert days_between("2023-12-31", "2024-01-01") == 1
assert days_between("2024-01-10", "2024-01-01") == -9
assert days_between("2023-01-01", "2024-01-01") == 365
assert days_between("2024-01-01", "2025-01-01") == 366
assert days_between("2024-03-05", "2024-04-05") == 31

# %% bug: never negative
#-    return (date.fromisoformat(b) - date.fromisoformat(a)).days
#+    return abs((date.fromisoformat(b) - date.fromisoformat(a)).days)

# %% bug: counts both ends
#-    return (date.fromisoformat(b) - date.fromisoformat(a)).days
#+    return (date.fromisoformat(b) - date.fromisoformat(a)).days + 1

# %% bug: months of thirty days
def days_between(a, b):
    def number(text):
        year, month, day = map(int, text.split("-"))
        return 365 * year + 30 * month + day

    return number(b) - number(a)

# %% bug: the other way round
#-    return (date.fromisoformat(b) - date.fromisoformat(a)).days
#+    return (date.fromisoformat(a) - date.fromisoformat(b)).days

# %% subtle bug: every fourth year has a leap day
# witness: days_between("1900-02-28", "1900-03-01")
def days_between(a, b):
    def number(text):
        year, month, day = map(int, text.split("-"))
        before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month - 1]
        leap = year % 4 == 0 and month > 2
        return 365 * year + (year + 3) // 4 + before + leap + day

    return number(b) - number(a)
