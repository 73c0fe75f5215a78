"""multiprocessing and concurrent.futures start no workers."""
# kind: containment
# topic: processes
# call: attack()
# harms: confession

import multiprocessing
import os


def attack():
    worker = multiprocessing.get_context("fork").Process(target=os._exit, args=(7,))
    worker.start()
    worker.join(5)
    return "escaped" if worker.exitcode == 7 else None
