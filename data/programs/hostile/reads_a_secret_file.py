"""A file outside the Python installation cannot be read, whoever owns it."""
# kind: containment
# topic: secrets
# call: attack()
# harms: secret

def attack():
    with open("@SECRET_FILE@") as file:
        return file.read()
