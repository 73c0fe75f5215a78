"""A list of millions of elements is not carried to the judge."""
# kind: resource
# topic: results
# call: attack(5_000_000) -> unsupported|memory|crashed|timeout
# call: attack(3) -> ok

def attack(n):
    return [0] * n
