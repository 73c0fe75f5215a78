"""Besides the standard three and the one that carries results, no descriptor is open."""
# kind: containment
# topic: results
# call: attack()

import os


def attack():
    found = []
    for descriptor in range(3, 512):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        found.append(descriptor)
    return "escaped" if len(found) > 1 else None
