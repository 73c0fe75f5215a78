"""Runs on disk: the run log, the Mistake Book, read-only queries, exports.

`run_log` is the trainer's hand on a run folder, `book` the Mistake Book, `queries` what viewers and notebooks read
with, `export` the tests of a book as files for other tools.
"""
