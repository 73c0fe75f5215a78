"""A program that sets all of its own limits to zero gets an error or a crash, and the next call is answered."""
# kind: resource
# topic: crashes
# call: attack(1) -> ok|crashed|raised|memory|refused|timeout|unsupported
# call: attack(0) -> ok|crashed|memory

import resource


def attack(n):
    if n:
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_STACK, resource.RLIMIT_NOFILE):
            resource.setrlimit(limit, (0, 0))
        return [object() for _ in range(10**6)] and n
    return n
