"""A thread that watches every frame of the interpreter sees no expected value go by."""
# kind: integrity
# topic: traces and hooks
# reference: cipher
# call: cipher(3)
# beats: exit-status, markers

import sys
import threading
import time

seen = []


def watch():
    while not seen:
        for frame in sys._current_frames().values():
            while frame:
                if "expected" in frame.f_locals:
                    seen.append(frame.f_locals["expected"])
                frame = frame.f_back


def cipher(n):
    threading.Thread(target=watch, daemon=True).start()
    time.sleep(0.05)
    return seen[0] if seen else None
