"""A program cannot add to a file that exists."""
# kind: containment
# topic: files
# call: attack()
# harms: keepsake

def attack():
    with open("@KEEPSAKE@", "a") as file:
        file.write("and so am I")
    return "escaped"
