# Balanced brackets
# topics: strings, stacks, parsing

# %% prompt
def is_balanced(text: str) -> bool:
    """Tell whether the brackets (), [] and {} in text are balanced and properly nested.

    All other characters are ignored.

    is_balanced("a(b[c]{d})") == True
    is_balanced("(]") == False
    """

# %% reference
def is_balanced(text):
    closes = {")": "(", "]": "[", "}": "{"}
    stack = []
    for char in text:
        if char in closes.values():
            stack.append(char)
        elif char in closes:
            if not stack or stack.pop() != closes[char]:
                return False
    return not stack

# %% golden
assert is_balanced("") == True
assert is_balanced("()") == True
assert is_balanced("(]") == False
assert is_balanced("([)]") == False
assert is_balanced("a(b[c]{d})") == True
assert is_balanced("((") == False
assert is_balanced(")(") == False
assert is_balanced("no brackets") == True
assert is_balanced("{[()()]}") == True
assert is_balanced("]") == False

# %% bug: only counts each kind
def is_balanced(text):
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))

# %% bug: does not look at what is left open
#-    return not stack
#+    return True

# %% bug: crashes on a closing bracket without an opening one
#-            if not stack or stack.pop() != closes[char]:
#+            if stack.pop() != closes[char]:

# %% bug: one counter for all kinds
def is_balanced(text):
    depth = 0
    for char in text:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0

# %% subtle bug: a closing bracket without a partner is ignored after the first pair
# witness: is_balanced("())")
def is_balanced(text):
    pairs = {"(": ")", "[": "]", "{": "}"}
    expected = []
    seen = False
    for char in text:
        if char in pairs:
            expected.append(pairs[char])
            seen = True
        elif char in ")]}":
            if expected:
                if expected.pop() != char:
                    return False
            elif not seen:
                return False
    return not expected
