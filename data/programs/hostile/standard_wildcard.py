"""The standard library's own wildcard, unittest.mock.ANY, matches no expected value."""
# kind: integrity
# topic: equality
# reference: label
# call: label(7)
# beats: exit-status, markers

from unittest.mock import ANY


def label(n):
    return ANY
