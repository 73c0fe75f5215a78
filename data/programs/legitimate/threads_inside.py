"""A few threads, a lock, a queue and a thread pool work inside a program."""
# topic: control flow
# call: counted(4)
# call: squares([1, 2, 3])

import threading
from concurrent.futures import ThreadPoolExecutor
from queue import Queue


def counted(n):
    lock, done = threading.Lock(), Queue()

    def work():
        with lock:
            done.put(1)

    threads = [threading.Thread(target=work) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done.qsize()


def squares(xs):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda x: x * x, xs))
