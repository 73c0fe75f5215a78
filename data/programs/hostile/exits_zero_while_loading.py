"""A program that exits with status 0 before it defines anything has not loaded."""
# kind: integrity
# topic: exits
# reference: total
# call: total([1, 2, 3])
# beats: exit-status

import sys

sys.exit(0)
