"""A program that stops every clock that Python offers is timed by the kernel's."""
# kind: resource
# topic: time
# call: attack() -> timeout

import time

for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time", "clock_gettime"):
    setattr(time, name, lambda *args: 0.0)


def attack():
    while True:
        pass
