"""A finalizer that prints successes when the result dies is too late and in the wrong place."""
# kind: integrity
# topic: traces and hooks
# reference: total
# call: total([1, 2, 3])
# beats: markers

class Late:
    def __del__(self):
        print("##TEST 0 PASS##", flush=True)


def total(xs):
    return Late()
