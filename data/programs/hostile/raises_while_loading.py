"""A module that raises while it loads has not loaded, whatever it defined before."""
# kind: resource
# topic: loading
# load: raised
# call: attack()

def attack():
    return 1


raise ValueError("not today")
