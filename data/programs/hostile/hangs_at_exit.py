"""An exit handler and a finalizer that never return delay no verdict."""
# kind: resource
# topic: time
# call: attack() -> ok
# call: attack() -> ok

import atexit


class Stubborn:
    def __del__(self):
        while True:
            pass


@atexit.register
def forever():
    while True:
        pass


kept = Stubborn()


def attack():
    return 1
