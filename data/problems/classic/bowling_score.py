# The score of a bowling game
# topics: simulation, lists

# %% prompt
def bowling_score(rolls: list[int]) -> int:
    """Return the score of a complete game of ten-pin bowling from the pins knocked down by each roll.

    A frame has up to two rolls. Ten pins with the first roll are a strike: 10 plus the next two rolls. Ten pins with
    two rolls are a spare: 10 plus the next roll. Other frames count their pins. A strike or spare in the tenth frame
    is followed by the extra rolls it needs, which count as part of that frame only.

    bowling_score([10, 3, 4] + [0] * 16) == 24
    """

# %% reference
def bowling_score(rolls):
    score, i = 0, 0
    for _ in range(10):
        if rolls[i] == 10:
            score += 10 + rolls[i + 1] + rolls[i + 2]
            i += 1
        elif rolls[i] + rolls[i + 1] == 10:
            score += 10 + rolls[i + 2]
            i += 2
        else:
            score += rolls[i] + rolls[i + 1]
            i += 2
    return score

# %% golden
assert bowling_score([10, 3, 4] + [0] * 16) == 24
assert bowling_score([0] * 20) == 0
assert bowling_score([1] * 20) == 20
assert bowling_score([10] * 12) == 300
assert bowling_score([5] * 21) == 150
assert bowling_score([9, 0] * 10) == 90
assert bowling_score([6, 4, 3] + [0] * 17) == 16
assert bowling_score([0] * 18 + [10, 2, 3]) == 15
assert bowling_score([0] * 18 + [7, 3, 8]) == 18
assert bowling_score([10, 10, 4, 2] + [0] * 14) == 46

# %% bug: just adds the pins
def bowling_score(rolls):
    return sum(rolls)

# %% bug: a strike gets one extra roll
#-            score += 10 + rolls[i + 1] + rolls[i + 2]
#+            score += 10 + rolls[i + 1]

# %% bug: a spare gets two extra rolls
#-            score += 10 + rolls[i + 2]
#+            score += 10 + rolls[i + 2] + rolls[i + 3]

# %% bug: a strike takes two rolls
#-            score += 10 + rolls[i + 1] + rolls[i + 2]
#-            i += 1
#+            score += 10 + rolls[i + 1] + rolls[i + 2]
#+            i += 2

# %% subtle bug: zero and then ten pins is a strike
# witness: bowling_score([0, 10, 5, 1] + [0] * 16)
#-        elif rolls[i] + rolls[i + 1] == 10:
#+        elif rolls[i] == 0 and rolls[i + 1] == 10:
#+            score += 10 + rolls[i + 2] + rolls[i + 3]
#+            i += 2
#+        elif rolls[i] + rolls[i + 1] == 10:
