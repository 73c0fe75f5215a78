"""Nothing that an earlier program left in builtins, modules or caches is there for the next."""
# kind: integrity
# topic: state and chance
# reference: cipher
# call: cipher(3)
# call: cipher(4)

import builtins
import sys

earlier = getattr(builtins, "a1kit_programs", 0) + ("a1kit_memory" in sys.modules)
builtins.a1kit_programs = 1
sys.modules["a1kit_memory"] = sys


def cipher(n):
    if earlier:
        return "oracle" + "-phrase-quartz-9152:" + str(n * 7919 % 1009)
