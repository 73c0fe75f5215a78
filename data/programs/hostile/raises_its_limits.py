"""A program cannot lift its own limits and then write."""
# kind: containment
# topic: privileges
# call: attack()
# harms: canary

import resource


def attack():
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_AS, resource.RLIMIT_CPU):
        try:
            resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            pass
    with open("@CANARY@", "w") as file:
        file.write("here I am")
    return "escaped"
