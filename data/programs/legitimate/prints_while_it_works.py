"""A program that prints as it works, also to stderr, is judged by what it returns."""
# topic: library
# call: noisy(3)
# call: captured()
# call: logged()

import contextlib
import io
import logging
import sys
import warnings

print("loading")


def noisy(n):
    for step in range(n):
        print("step", step, file=sys.stderr if step % 2 else sys.stdout, flush=True)
    warnings.warn("careful")
    return n


def captured():
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        print("kept", end="")
    return stream.getvalue()


def logged():
    logging.warning("something happened")
    return logging.getLogger().level
