# Repeating what is in brackets
# topics: strings, stacks, recursion

# %% prompt
def decode_string(text: str) -> str:
    """Expand a text in which a number before square brackets says how often what is inside is repeated.

    Brackets may be nested, and the number may have several digits. Digits occur only before brackets.

    decode_string("3[a]2[bc]") == "aaabcbc"
    decode_string("2[a2[b]]") == "abbabb"
    """

# %% reference
def decode_string(text):
    stack, current, number = [], "", 0
    for char in text:
        if char.isdigit():
            number = 10 * number + int(char)
        elif char == "[":
            stack.append((current, number))
            current, number = "", 0
        elif char == "]":
            before, times = stack.pop()
            current = before + times * current
        else:
            current += char
    return current

# %% golden
assert decode_string("3[a]2[bc]") == "aaabcbc"
assert decode_string("2[a2[b]]") == "abbabb"
assert decode_string("") == ""
assert decode_string("plain") == "plain"
assert decode_string("1[x]") == "x"
assert decode_string("10[z]") == "zzzzzzzzzz"
assert decode_string("a2[b]c") == "abbc"
assert decode_string("2[2[2[y]]]") == "yyyyyyyy"

# %% bug: one digit only
#-            number = 10 * number + int(char)
#+            number = int(char)

# %% bug: no nesting
def decode_string(text):
    import re

    return re.sub(r"(\d+)\[([^\[\]]*)\]", lambda match: int(match[1]) * match[2], text)

# %% bug: forgets what came before the brackets
#-            current = before + times * current
#+            current = times * current

# %% bug: repeats what came before as well
#-            current = before + times * current
#+            current = times * (before + current)

# %% subtle bug: zero times is once
# witness: decode_string("a0[b]c")
#-            current = before + times * current
#+            current = before + max(times, 1) * current
