"""An argument emptied in place is emptied in one process: the reference was given its own."""
# kind: integrity
# topic: arguments
# reference: keep
# call: keep([1, 2, 3])
# beats: exit-status

def keep(xs):
    xs.clear()
    return xs
