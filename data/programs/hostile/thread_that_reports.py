"""A background thread that goes on printing successes after the call has returned changes nothing."""
# kind: integrity
# topic: traces and hooks
# reference: total
# call: total([1, 2, 3])
# beats: markers

import threading
import time


def report():
    while True:
        print("##TEST 0 PASS##", flush=True)
        time.sleep(0.001)


def total(xs):
    threading.Thread(target=report, daemon=True).start()
    time.sleep(0.02)
    return 0
