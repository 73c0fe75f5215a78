# The winner of tic-tac-toe
# topics: matrices, games

# %% prompt
def tic_tac_toe(board: list[str]) -> str:
    """Judge a tic-tac-toe board of three rows such as "XO." (a dot is an empty field).

    Return "X" or "O" when that player has three in a row, a column or a diagonal, "draw" when the board is full and
    nobody has, and "open" otherwise. At most one player has three in a line.

    tic_tac_toe(["XXX", "OO.", "..."]) == "X"
    """

# %% reference
def tic_tac_toe(board):
    lines = [*board, *("".join(column) for column in zip(*board))]
    lines.append("".join(board[i][i] for i in range(3)))
    lines.append("".join(board[i][2 - i] for i in range(3)))
    for player in "XO":
        if player * 3 in lines:
            return player
    return "open" if any("." in row for row in board) else "draw"

# %% golden
assert tic_tac_toe(["XXX", "OO.", "..."]) == "X"
assert tic_tac_toe(["...", "...", "..."]) == "open"
assert tic_tac_toe(["OXX", "OX.", "O.."]) == "O"
assert tic_tac_toe(["X.O", ".XO", "..X"]) == "X"
assert tic_tac_toe(["XOX", "XOO", "OXX"]) == "draw"
assert tic_tac_toe(["XOX", "XOO", "OX."]) == "open"
assert tic_tac_toe(["X..", "OOO", ".XX"]) == "O"
assert tic_tac_toe(["OXO", "XXO", "XOX"]) == "draw"

# %% bug: rows only
#-    lines = [*board, *("".join(column) for column in zip(*board))]
#+    lines = list(board)

# %% bug: three empty fields win
#-    for player in "XO":
#+    for player in "XO.":

# %% bug: never a draw
#-    return "open" if any("." in row for row in board) else "draw"
#+    return "open"

# %% bug: columns and diagonals only
#-    lines = [*board, *("".join(column) for column in zip(*board))]
#+    lines = ["".join(column) for column in zip(*board)]

# %% subtle bug: forgets the diagonal from the right
# witness: tic_tac_toe(["..X", "OX.", "XO."])
#-    lines.append("".join(board[i][2 - i] for i in range(3)))
#+    pass

# %% subtle bug: a full board is a draw at once
# witness: tic_tac_toe(["XXX", "OOX", "XOO"])
#-    for player in "XO":
#+    if not any("." in row for row in board):
#+        return "draw"
#+    for player in "XO":
