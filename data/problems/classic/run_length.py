# Run-length encoding
# topics: strings

# %% prompt
def run_length(text: str) -> str:
    """Shorten text by writing each run of the same character as the character followed by the length of the run.

    A run of length one is written as the character alone. Upper and lower case are different characters.

    run_length("aaabcc") == "a3bc2"
    """

# %% reference
def run_length(text):
    out = []
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append(text[i] if j - i == 1 else text[i] + str(j - i))
        i = j
    return "".join(out)

# %% golden
assert run_length("aaabcc") == "a3bc2"
assert run_length("") == ""
assert run_length("x") == "x"
assert run_length("xx") == "x2"
assert run_length("abc") == "abc"
assert run_length("aAaA") == "aAaA"
assert run_length("aabbaa") == "a2b2a2"
assert run_length("zzzzzzzzz") == "z9"
assert run_length("   ") == " 3"

# %% bug: counts all occurrences instead of runs
def run_length(text):
    out = ""
    for char in dict.fromkeys(text):
        n = text.count(char)
        out += char if n == 1 else char + str(n)
    return out

# %% bug: forgets the last run
def run_length(text):
    out = ""
    count = 1
    for i in range(1, len(text)):
        if text[i] == text[i - 1]:
            count += 1
        else:
            out += text[i - 1] + (str(count) if count > 1 else "")
            count = 1
    return out

# %% bug: writes the length of single characters too
#-        out.append(text[i] if j - i == 1 else text[i] + str(j - i))
#+        out.append(text[i] + str(j - i))

# %% bug: ignores case
#-        while j < len(text) and text[j] == text[i]:
#+        while j < len(text) and text[j].lower() == text[i].lower():

# %% subtle bug: cuts runs after nine
# witness: run_length("aaaaaaaaaaaa")
#-        while j < len(text) and text[j] == text[i]:
#+        while j < len(text) and text[j] == text[i] and j - i < 9:
