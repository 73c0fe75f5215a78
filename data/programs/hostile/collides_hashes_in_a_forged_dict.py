"""A forged dictionary whose keys all hash alike takes the judge no time."""
# kind: protocol
# topic: forged values
# reference: label
# call: label(1)

import os
import struct
import sys


def label(n):
    body = ",".join(f'["i","{k * sys.hash_info.modulus:x}"],0' for k in range(2, 60_000)).encode()
    payload = b'["d",' + body + b"]"
    os.write(3, struct.pack("<IiBf", len(payload), 0, 0, 0.0) + payload)
    os._exit(0)
