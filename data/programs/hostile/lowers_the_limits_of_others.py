"""The resource limits of another process cannot be changed."""
# kind: containment
# topic: signals
# call: attack()
# harms: confession

import resource


def attack():
    resource.prlimit(int("@VICTIM@"), resource.RLIMIT_CORE, (0, 0))
    return "escaped"
