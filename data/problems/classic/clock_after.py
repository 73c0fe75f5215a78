# The time some minutes later
# topics: dates, numbers, formatting

# %% prompt
def clock_after(time: str, minutes: int) -> str:
    """Return the time of day, as "HH:MM" from 00:00 to 23:59, that is minutes after time. minutes may be negative.

    clock_after("23:50", 20) == "00:10"
    clock_after("00:05", -10) == "23:55"
    """

# %% reference
def clock_after(time, minutes):
    hour, minute = map(int, time.split(":"))
    total = (60 * hour + minute + minutes) % 1440
    return f"{total // 60:02d}:{total % 60:02d}"

# %% golden
assert clock_after("23:50", 20) == "00:10"
assert clock_after("00:05", -10) == "23:55"
assert clock_after("12:00", 0) == "12:00"
assert clock_after("09:05", 4) == "09:09"
assert clock_after("10:30", 90) == "12:00"
assert clock_after("00:00", 1440) == "00:00"
assert clock_after("12:00", -60) == "11:00"
assert clock_after("01:01", 58) == "01:59"

# %% bug: no leading zeros
#-    return f"{total // 60:02d}:{total % 60:02d}"
#+    return f"{total // 60}:{total % 60}"

# %% bug: midnight is 24:00
#-    total = (60 * hour + minute + minutes) % 1440
#+    total = (60 * hour + minute + minutes) % 1440 or 1440

# %% bug: a day has twelve hours
#-    total = (60 * hour + minute + minutes) % 1440
#+    total = (60 * hour + minute + minutes) % 720

# %% bug: minutes carry over once at most
def clock_after(time, minutes):
    hour, minute = map(int, time.split(":"))
    minute += minutes
    if minute >= 60:
        hour, minute = hour + 1, minute - 60
    return f"{hour % 24:02d}:{minute % 60:02d}"

# %% subtle bug: goes back by one day at most
# witness: clock_after("08:00", -2000)
#-    total = (60 * hour + minute + minutes) % 1440
#+    total = 60 * hour + minute + minutes
#+    if total < 0:
#+        total += 1440
#+    if total >= 1440:
#+        total -= 1440
