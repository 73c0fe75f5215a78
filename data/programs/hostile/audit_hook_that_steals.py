"""An audit hook sees the judge compile and run calls, and finds no expected value in doing so."""
# kind: integrity
# topic: traces and hooks
# reference: cipher
# call: cipher(3)
# call: cipher(3)
# beats: exit-status, markers

import sys

stolen = []


def hook(event, args):
    frame = sys._getframe() if event in ("compile", "exec", "answer") else None
    while frame:
        if "expected" in frame.f_locals:
            stolen.append(frame.f_locals["expected"])
        frame = frame.f_back


sys.addaudithook(hook)


def cipher(n):
    sys.audit("answer")
    return stolen[-1] if stolen else None
