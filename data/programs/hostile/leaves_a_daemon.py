"""A process that forks twice to outlive its judge does not."""
# kind: containment
# topic: processes
# call: attack()
# wait: 0.6
# harms: canary

import os
import time


def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.3)
            with open("@CANARY@", "w") as file:
                file.write("still here")
        os._exit(0)
