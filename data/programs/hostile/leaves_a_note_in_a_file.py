"""A test that writes down the reference's answer cannot hand it to the candidate in a file."""
# kind: containment
# topic: collusion
# reference: cipher
# setup: import os
# setup: def note(value):
# setup:     if value is not None:
# setup:         open("@MAILBOX@", "w").write(value)
# setup:         return value
# setup:     return open("@MAILBOX@").read()
# call: note(cipher(3))

def cipher(n):
    return None
