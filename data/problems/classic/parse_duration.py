# Reading a duration
# topics: strings, parsing, validation

# %% prompt
def parse_duration(text: str) -> int | None:
    """Return the seconds in a duration such as "1h30m" or "45s".

    It is made of a number and the unit h, m or s, up to once each and in this order. Return None for everything else,
    the empty text included. Numbers have only the digits 0 to 9 and may be 60 or more.

    parse_duration("1h30m") == 5400
    """

# %% reference
def parse_duration(text):
    import re

    match = re.fullmatch(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?", text)
    if not match or not text:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds

# %% golden
assert parse_duration("1h30m") == 5400
assert parse_duration("45s") == 45
assert parse_duration("") is None
assert parse_duration("2h") == 7200
assert parse_duration("1h1m1s") == 3661
assert parse_duration("90m") == 5400
assert parse_duration("10") is None
assert parse_duration("1m1h") is None
assert parse_duration("h") is None
assert parse_duration("1x") is None
assert parse_duration("0s") == 0

# %% bug: any order
def parse_duration(text):
    import re

    if not re.fullmatch(r"([0-9]+[hms])+", text):
        return None
    return sum(int(n) * {"h": 3600, "m": 60, "s": 1}[unit] for n, unit in re.findall(r"([0-9]+)([hms])", text))

# %% bug: the empty text is no time
#-    if not match or not text:
#+    if not match:

# %% bug: a number alone is seconds
#-    match = re.fullmatch(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?", text)
#+    match = re.fullmatch(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s?)?", text)

# %% bug: no time at all is None
#-    return 3600 * hours + 60 * minutes + seconds
#+    return 3600 * hours + 60 * minutes + seconds or None

# %% subtle bug: digits of every script
# witness: parse_duration("\u0663s")
#-    match = re.fullmatch(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?", text)
#+    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text)

# %% subtle bug: a line end at the end is overlooked
# witness: parse_duration("5s\n")
#-    match = re.fullmatch(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?", text)
#+    match = re.match(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?$", text)
