"""json, hashlib, base64, zlib, csv, pickle and ast work inside a program."""
# topic: library
# call: round_trip({"a": [1, 2.5, None, True]})
# call: digests("abc")
# call: squeezed("a" * 1000)
# call: rows("a,b\n1,\"2,3\"\n")
# call: pickled([1, {"a": (2, 3)}])
# call: evaluated("[1, {'a': (2,)}]")

import ast
import base64
import csv
import hashlib
import io
import json
import pickle
import zlib


def round_trip(value):
    return json.loads(json.dumps(value, sort_keys=True)), json.dumps(value)


def digests(text):
    return hashlib.sha256(text.encode()).hexdigest(), hashlib.md5(text.encode()).hexdigest()


def squeezed(text):
    return zlib.decompress(zlib.compress(text.encode())) == text.encode(), base64.b64encode(b"abc")


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def pickled(value):
    return pickle.loads(pickle.dumps(value))


def evaluated(text):
    return ast.literal_eval(text)
