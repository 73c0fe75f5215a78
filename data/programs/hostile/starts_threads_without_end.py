"""Threads without end run into a limit."""
# kind: resource
# topic: memory
# call: attack() -> raised|memory|refused|crashed|timeout

import threading


def attack():
    while True:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
