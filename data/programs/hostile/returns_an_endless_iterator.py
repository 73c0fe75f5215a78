"""An endless iterator is not consumed."""
# kind: resource
# topic: results
# call: attack() -> unsupported
# call: attack() -> unsupported

import itertools


def attack():
    return itertools.count()
