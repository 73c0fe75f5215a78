# From camel case to snake case
# topics: strings, parsing

# %% prompt
def snake_case(name: str) -> str:
    """Turn a name in camel case into snake case.

    Every capital letter starts a new word, except inside a run of capitals: of such a run only the last capital starts
    a new word, and only when a small letter follows it. Digits belong to the word before them. The result is in lower
    case, words separated by underscores.

    snake_case("parseHTTPResponse") == "parse_http_response"
    """

# %% reference
def snake_case(name):
    out = ""
    for i, char in enumerate(name):
        if char.isupper() and i > 0:
            after_capital = name[i - 1].isupper()
            before_small = i + 1 < len(name) and name[i + 1].islower()
            if not after_capital or before_small:
                out += "_"
        out += char.lower()
    return out

# %% golden
assert snake_case("parseHTTPResponse") == "parse_http_response"
assert snake_case("") == ""
assert snake_case("a") == "a"
assert snake_case("camelCase") == "camel_case"
assert snake_case("PascalCase") == "pascal_case"
assert snake_case("already") == "already"
assert snake_case("userID") == "user_id"
assert snake_case("HTTPServer") == "http_server"
assert snake_case("aB") == "a_b"

# %% bug: an underscore before every capital
def snake_case(name):
    return "".join("_" + char.lower() if char.isupper() else char for char in name)

# %% bug: an underscore before every capital but the first letter
#-            if not after_capital or before_small:
#-                out += "_"
#+            out += "_"

# %% bug: runs of capitals swallow the next word
#-            if not after_capital or before_small:
#+            if not after_capital:

# %% bug: keeps the case
#-        out += char.lower()
#+        out += char

# %% subtle bug: a capital after a digit starts no word
# witness: snake_case("utf8Decoder")
#-            if not after_capital or before_small:
#+            if name[i - 1].islower() or (after_capital and before_small):
