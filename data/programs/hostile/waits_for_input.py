"""A call that reads from the keyboard finds the end of input at once."""
# kind: resource
# topic: time
# call: attack() -> raised

def attack():
    return input("your move: ")
