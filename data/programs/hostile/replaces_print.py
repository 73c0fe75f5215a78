"""A replaced builtin print cannot report a success."""
# kind: integrity
# topic: forged output
# reference: total
# call: total([1, 2, 3])
# beats: markers

import builtins

honest = builtins.print


def forged(*values, **options):
    honest(*[str(value).replace("FAIL", "PASS") for value in values], **options)


builtins.print = forged


def total(xs):
    return None
