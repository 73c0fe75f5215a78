# Seconds in words
# topics: strings, numbers, formatting

# %% prompt
def format_duration(seconds: int) -> str:
    """Write a number of seconds as days, hours, minutes and seconds.

    Units that are 0 are left out, 1 has no plural s, parts are separated by ", " and the last two by " and ". Zero
    seconds are "now".

    format_duration(3662) == "1 hour, 1 minute and 2 seconds"
    """

# %% reference
def format_duration(seconds):
    if seconds == 0:
        return "now"
    parts = []
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}" + ("s" if count != 1 else ""))
    if len(parts) == 1:
        return parts[0]
    return ", ".join(parts[:-1]) + " and " + parts[-1]

# %% golden
assert format_duration(3662) == "1 hour, 1 minute and 2 seconds"
assert format_duration(0) == "now"
assert format_duration(1) == "1 second"
assert format_duration(62) == "1 minute and 2 seconds"
assert format_duration(120) == "2 minutes"
assert format_duration(3600) == "1 hour"
assert format_duration(86400) == "1 day"
assert format_duration(90061) == "1 day, 1 hour, 1 minute and 1 second"
assert format_duration(59) == "59 seconds"

# %% bug: always a plural s
#-            parts.append(f"{count} {name}" + ("s" if count != 1 else ""))
#+            parts.append(f"{count} {name}s")

# %% bug: writes units that are zero
#-        if count:
#-            parts.append(f"{count} {name}" + ("s" if count != 1 else ""))
#+        parts.append(f"{count} {name}" + ("s" if count != 1 else ""))

# %% bug: commas only
#-    return ", ".join(parts[:-1]) + " and " + parts[-1]
#+    return ", ".join(parts)

# %% bug: nothing for zero
#-    if seconds == 0:
#-        return "now"
#+    if seconds == 0:
#+        return ""

# %% bug: hours without end
#-    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
#+    for name, size in (("hour", 3600), ("minute", 60), ("second", 1)):

# %% subtle bug: days wrap around after a week
# witness: format_duration(700000)
#-    parts = []
#+    parts = []
#+    seconds %= 604800

# %% subtle bug: the word and only where seconds are the last part
# witness: format_duration(5400)
#-    return ", ".join(parts[:-1]) + " and " + parts[-1]
#+    if not parts[-1].endswith(("second", "seconds")):
#+        return ", ".join(parts)
#+    return ", ".join(parts[:-1]) + " and " + parts[-1]
