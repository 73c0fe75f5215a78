"""Source that does not compile is reported as that."""
# kind: resource
# topic: loading
# load: syntax
# call: attack()

def attack(:
    return 1
