"""A program cannot create a file, wherever file permissions would allow it."""
# kind: containment
# topic: files
# call: attack()
# harms: canary

def attack():
    with open("@CANARY@", "w") as file:
        file.write("here I am")
    return "escaped"
