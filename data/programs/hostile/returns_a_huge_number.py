"""An integer of millions of digits is not carried to the judge."""
# kind: resource
# topic: results
# call: attack(50_000_000) -> unsupported|memory|crashed|timeout
# call: attack(3) -> ok

def attack(n):
    return 1 << n
