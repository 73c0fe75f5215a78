"""Bytecode that no compiler would write crashes its own process only."""
# kind: resource
# topic: crashes
# call: attack(1) -> crashed|raised|timeout|unsupported|ok|memory
# call: attack(0) -> ok

def attack(n):
    if n:
        attack.__code__ = attack.__code__.replace(co_code=b"\x64\xff" * 20, co_consts=(), co_stacksize=1)
        return attack(n)
    return n
