"""A stdout that turns every FAIL into a PASS changes no verdict."""
# kind: integrity
# topic: forged output
# reference: total
# call: total([1, 2, 3])
# beats: markers

import sys


class Editor:
    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.stream.write(text.replace("FAIL", "PASS").replace("ERROR", "PASS"))

    def flush(self):
        self.stream.flush()


sys.stdout = Editor(sys.stdout)


def total(xs):
    return 0
