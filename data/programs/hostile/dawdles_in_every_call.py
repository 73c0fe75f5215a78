"""Many calls that each stay within their limit together do not exceed the program's limit by much."""
# kind: resource
# topic: time
# repeat: 32
# call: attack() -> ok|timeout

import time


def attack():
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    return 1
