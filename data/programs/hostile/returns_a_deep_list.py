"""A list nested a hundred thousand deep is not carried to the judge."""
# kind: resource
# topic: results
# call: attack(100_000) -> unsupported|crashed|raised
# call: attack(3) -> ok

def attack(n):
    nest = []
    for _ in range(n):
        nest = [nest]
    return nest
