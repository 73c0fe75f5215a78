# Merging nested dictionaries
# topics: dicts, recursion, mutability

# %% prompt
def deep_merge(base: dict, extra: dict) -> dict:
    """Return a dictionary with the keys of both; where a key is in both, the value of extra wins.

    When both values are dictionaries, they are merged in the same way instead. Neither argument is changed.

    deep_merge({"a": {"x": 1}}, {"a": {"y": 2}, "b": 3}) == {"a": {"x": 1, "y": 2}, "b": 3}
    """

# %% reference
def deep_merge(base, extra):
    out = dict(base)
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            value = deep_merge(out[key], value)
        out[key] = value
    return out

# %% golden
assert deep_merge({"a": {"x": 1}}, {"a": {"y": 2}, "b": 3}) == {"a": {"x": 1, "y": 2}, "b": 3}
assert deep_merge({}, {}) == {}
assert deep_merge({"a": 1}, {"a": 2}) == {"a": 2}
assert deep_merge({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}
assert deep_merge({"a": {"x": 1}}, {"a": 5}) == {"a": 5}
assert deep_merge({"a": 5}, {"a": {"x": 1}}) == {"a": {"x": 1}}
assert deep_merge({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}) == {"a": {"b": {"c": 1, "d": 2}}}
assert deep_merge({"a": [1]}, {"a": [2]}) == {"a": [2]}

# %% bug: merges one level
def deep_merge(base, extra):
    return {**base, **extra}

# %% bug: base wins
#-        out[key] = value
#+        out.setdefault(key, value)

# %% bug: crashes when only one value is a dictionary
#-        if isinstance(value, dict) and isinstance(out.get(key), dict):
#+        if isinstance(value, dict) and key in out:

# %% bug: joins lists
#-        out[key] = value
#+        out[key] = out[key] + value if isinstance(out.get(key), list) and isinstance(value, list) else value

# %% subtle bug: changes nested dictionaries of base
# witness: (lambda base: (deep_merge(base, {"a": {"y": 2}}), base))({"a": {"x": 1}})
def deep_merge(base, extra):
    out = dict(base)
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            inner = out[key]
            inner.update(deep_merge(inner, value))
        else:
            out[key] = value
    return out

# %% subtle bug: None, 0 and the like in extra do not win
# witness: deep_merge({"a": 1}, {"a": None})
#-        out[key] = value
#+        out[key] = value or out.get(key, value)
