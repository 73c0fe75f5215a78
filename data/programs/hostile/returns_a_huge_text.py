"""A text of hundreds of megabytes is not carried to the judge."""
# kind: resource
# topic: results
# call: attack(300_000_000) -> unsupported|memory|crashed|timeout
# call: attack(3) -> ok

def attack(n):
    return "x" * n
