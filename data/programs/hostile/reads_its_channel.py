"""Nothing arrives on the result descriptor after the job, and waiting for it is ended."""
# kind: protocol
# topic: endings
# reference: cipher
# call: cipher(3)

import os


def cipher(n):
    return os.read(3, 1 << 20).decode(errors="replace")
