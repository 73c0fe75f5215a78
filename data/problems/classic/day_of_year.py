# The day of the year
# topics: dates, numbers

# %% prompt
def day_of_year(date: str) -> int:
    """Return which day of the year a date "YYYY-MM-DD" is, 1 for January 1st.

    A year is a leap year when 4 divides it, except when 100 divides it and 400 does not. Dates are always valid.

    day_of_year("2023-02-01") == 32
    """

# %% reference
def day_of_year(date):
    year, month, day = map(int, date.split("-"))
    days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
        days[1] = 29
    return sum(days[: month - 1]) + day

# %% golden
assert day_of_year("2023-02-01") == 32
assert day_of_year("2023-01-01") == 1
assert day_of_year("2023-12-31") == 365
assert day_of_year("2024-12-31") == 366
assert day_of_year("2024-02-29") == 60
assert day_of_year("2024-03-01") == 61
assert day_of_year("2023-03-01") == 60
assert day_of_year("2000-12-31") == 366
assert day_of_year("2022-08-15") == 227

# %% bug: knows no leap years
#-        days[1] = 29
#+        days[1] = 28

# %% bug: counts the whole month
#-    return sum(days[: month - 1]) + day
#+    return sum(days[:month]) + day

# %% bug: counts from zero
#-    return sum(days[: month - 1]) + day
#+    return sum(days[: month - 1]) + day - 1

# %% bug: thirty days a month
#-    return sum(days[: month - 1]) + day
#+    return 30 * (month - 1) + day

# %% subtle bug: every fourth year is a leap year
# witness: day_of_year("1900-03-01")
#-    if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
#+    if year % 4 == 0:
