# Reading a query string
# topics: strings, parsing, dicts

# %% prompt
def parse_query(query: str) -> dict[str, list[str]]:
    """Read a query string such as "a=1&b=2&a=3" into a dictionary from each name to the list of its values.

    A leading question mark is ignored. Values come in order. A name without an equals sign has the value "". What
    follows the first equals sign is the value, further equals signs included. Empty parts ("a=1&&b=2") are ignored.
    Nothing is decoded.

    parse_query("?a=1&b=2&a=3") == {"a": ["1", "3"], "b": ["2"]}
    """

# %% reference
def parse_query(query):
    out = {}
    for part in query.removeprefix("?").split("&"):
        if part:
            name, _, value = part.partition("=")
            out.setdefault(name, []).append(value)
    return out

# %% golden
assert parse_query("?a=1&b=2&a=3") == {"a": ["1", "3"], "b": ["2"]}
assert parse_query("") == {}
assert parse_query("?") == {}
assert parse_query("a") == {"a": [""]}
assert parse_query("a=") == {"a": [""]}
assert parse_query("a=1&&b=2") == {"a": ["1"], "b": ["2"]}
assert parse_query("x=1&x=1") == {"x": ["1", "1"]}
assert parse_query("q=a+b%20c") == {"q": ["a+b%20c"]}

# %% bug: the last value only
#-            out.setdefault(name, []).append(value)
#+            out[name] = [value]

# %% bug: crashes without an equals sign
#-            name, _, value = part.partition("=")
#+            name, value = part.split("=")[:2]

# %% bug: empty parts count
#-        if part:
#-            name, _, value = part.partition("=")
#-            out.setdefault(name, []).append(value)
#+        name, _, value = part.partition("=")
#+        out.setdefault(name, []).append(value)

# %% bug: keeps the question mark
#-    for part in query.removeprefix("?").split("&"):
#+    for part in query.split("&"):

# %% bug: ignores empty values
#-        if part:
#+        if part and "=" in part:

# %% subtle bug: splits at the last equals sign
# witness: parse_query("a=b=c")
#-            name, _, value = part.partition("=")
#+            name, _, value = part.rpartition("=") if "=" in part else (part, "", "")

# %% subtle bug: removes all question marks in front
# witness: parse_query("??a=1")
#-    for part in query.removeprefix("?").split("&"):
#+    for part in query.lstrip("?").split("&"):
