"""Threads that burn processor time are counted together."""
# kind: resource
# topic: time
# call: attack() -> timeout|raised|refused

import threading


def spin():
    while True:
        pass


def attack():
    for _ in range(4):
        threading.Thread(target=spin, daemon=True).start()
    spin()
