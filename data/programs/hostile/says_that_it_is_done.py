"""A child that declares itself done and leaves owes the results it did not send."""
# kind: protocol
# topic: frames
# reference: total
# call: total([1, 2, 3])
# call: total([4])

import os
import struct

os.write(3, struct.pack("<IiBf", 0, -1, 0, 0.0) + struct.pack("<IiBf", 0, -2, 0, 0.0))
os._exit(0)
