"""A process that inherits the result descriptor and outlives the program keeps no verdict waiting."""
# kind: protocol
# topic: endings
# reference: total
# call: total([1, 2, 3])

import os
import time


def total(xs):
    if os.fork() == 0:
        os.setsid()
        time.sleep(4)
        os._exit(0)
    os._exit(0)
