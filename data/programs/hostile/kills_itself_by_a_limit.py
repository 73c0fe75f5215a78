"""A program that lowers its own processor limit, so that the kernel kills it, has failed: the machinery has not."""
# kind: resource
# topic: crashes
# call: attack() -> timeout|crashed|raised|refused
# call: attack() -> timeout|crashed|raised|refused

import resource


def attack():
    resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
    while True:
        pass
