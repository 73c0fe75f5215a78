"""A process descriptor is no way to signal somebody else."""
# kind: containment
# topic: signals
# call: attack()
# harms: victim

import os
import signal


def attack():
    signal.pidfd_send_signal(os.pidfd_open(int("@VICTIM@")), 9)
    return "escaped"
