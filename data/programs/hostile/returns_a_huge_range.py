"""A range without end is either carried as three numbers or not at all."""
# kind: resource
# topic: results
# call: attack(10**4000) -> ok|unsupported|raised
# call: attack(3) -> ok

def attack(n):
    return range(n)
