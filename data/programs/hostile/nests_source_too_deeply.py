"""Source that nests deeper than the compiler's stack is rejected, not fatal."""
# kind: resource
# topic: crashes
# call: attack(100_000) -> raised|memory|crashed
# call: attack(5) -> ok

def attack(n):
    return eval("(" * n + "1" + ")" * n)
