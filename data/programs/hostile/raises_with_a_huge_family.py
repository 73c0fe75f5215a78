"""An exception with a very long name and thousands of ancestors is cut short."""
# kind: resource
# topic: results
# call: attack(3000) -> raised|memory|timeout
# call: attack(3) -> raised

def attack(n):
    family = ValueError
    for number in range(n):
        family = type("E" * 1000 + str(number), (family,), {})
    raise family
