"""A result that aliases the argument and changes after the return is taken as it was when the call ended."""
# kind: integrity
# topic: arguments
# reference: keep
# call: keep([1, 2, 3])
# beats: exit-status

def keep(xs):
    xs += xs
    return xs
