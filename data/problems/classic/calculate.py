# A pocket calculator
# topics: parsing, recursion, strings

# %% prompt
def calculate(text: str) -> int:
    """Evaluate an expression of whole numbers, + - *, parentheses and spaces.

    * binds more strongly than + and -, which are worked off from left to right. A minus sign may also stand before a
    number or a parenthesis. The expression is always valid.

    calculate("2 + 3 * (4 - 1)") == 11
    """

# %% reference
def calculate(text):
    tokens, number = [], ""
    for char in text + " ":
        if char.isdigit():
            number += char
        else:
            if number:
                tokens.append(number)
                number = ""
            if char in "+-*()":
                tokens.append(char)

    def factor():
        token = tokens.pop(0)
        if token == "-":
            return -factor()
        if token == "(":
            value = total()
            tokens.pop(0)
            return value
        return int(token)

    def term():
        value = factor()
        while tokens and tokens[0] == "*":
            tokens.pop(0)
            value *= factor()
        return value

    def total():
        value = term()
        while tokens and tokens[0] in "+-":
            value = value + term() if tokens.pop(0) == "+" else value - term()
        return value

    return total()

# %% golden
assert calculate("2 + 3 * (4 - 1)") == 11
assert calculate("7") == 7
assert calculate("1+2+3") == 6
assert calculate("10 - 2 - 3") == 5
assert calculate("2*3+4") == 10
assert calculate("(1+2)*(3+4)") == 21
assert calculate("-5 + 2") == -3
assert calculate("12 * 10") == 120
assert calculate("((3))") == 3

# %% bug: works off everything from left to right
#-        while tokens and tokens[0] == "*":
#+        while False:
#-        while tokens and tokens[0] in "+-":
#-            value = value + term() if tokens.pop(0) == "+" else value - term()
#-        return value
#+        while tokens and tokens[0] in "+-*":
#+            sign = tokens.pop(0)
#+            value = value * term() if sign == "*" else value + term() if sign == "+" else value - term()
#+        return value

# %% bug: numbers have one digit
#-            number += char
#+            tokens.append(char)

# %% bug: subtraction from the right
#-        while tokens and tokens[0] in "+-":
#-            value = value + term() if tokens.pop(0) == "+" else value - term()
#+        if tokens and tokens[0] in "+-":
#+            value = value + total() if tokens.pop(0) == "+" else value - total()

# %% bug: no minus sign in front
#-        if token == "-":
#-            return -factor()
#+        if token == "-":
#+            return factor()

# %% subtle bug: a minus sign in front of a parenthesis is lost
# witness: calculate("-(2 + 3)")
#-            return -factor()
#+            return factor() if tokens[0] == "(" else -factor()
