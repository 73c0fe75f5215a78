"""A module that never finishes loading is ended."""
# kind: resource
# topic: time
# load: timeout
# call: attack()

while True:
    pass
