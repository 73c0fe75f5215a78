# A reverse Polish calculator
# topics: stacks, numbers, parsing

# %% prompt
def eval_rpn(tokens: list[str]) -> int:
    """Evaluate an expression in reverse Polish notation with whole numbers and the operators + - * /.

    Division cuts off towards zero: -7 / 2 is -3. The expression is always valid and never divides by zero.

    eval_rpn(["2", "1", "+", "3", "*"]) == 9
    """

# %% reference
def eval_rpn(tokens):
    stack = []
    for token in tokens:
        if token not in ("+", "-", "*", "/"):
            stack.append(int(token))
            continue
        b, a = stack.pop(), stack.pop()
        if token == "+":
            stack.append(a + b)
        elif token == "-":
            stack.append(a - b)
        elif token == "*":
            stack.append(a * b)
        else:
            stack.append(abs(a) // abs(b) * (1 if a * b >= 0 else -1))
    return stack[0]

# %% golden
assert eval_rpn(["2", "1", "+", "3", "*"]) == 9
assert eval_rpn(["5"]) == 5
assert eval_rpn(["4", "13", "5", "/", "+"]) == 6
assert eval_rpn(["3", "4", "-"]) == -1
assert eval_rpn(["-2", "3", "*"]) == -6
assert eval_rpn(["7", "2", "/"]) == 3
assert eval_rpn(["1", "2", "3", "+", "-"]) == -4
assert eval_rpn(["6", "9", "3", "+", "-11", "*", "*"]) == -792
assert eval_rpn(["0", "5", "/"]) == 0

# %% bug: operands in the wrong order
#-        b, a = stack.pop(), stack.pop()
#+        a, b = stack.pop(), stack.pop()

# %% bug: takes negative numbers for operators
#-        if token not in ("+", "-", "*", "/"):
#+        if token.isdigit():

# %% bug: divides as floats
#-            stack.append(abs(a) // abs(b) * (1 if a * b >= 0 else -1))
#+            stack.append(a / b)

# %% subtle bug: division rounds down
# witness: eval_rpn(["-7", "2", "/"])
#-            stack.append(abs(a) // abs(b) * (1 if a * b >= 0 else -1))
#+            stack.append(a // b)

# %% subtle bug: cuts off a quotient of floats
# witness: eval_rpn(["100000000000000000001", "3", "/"])
#-            stack.append(abs(a) // abs(b) * (1 if a * b >= 0 else -1))
#+            stack.append(int(a / b))
