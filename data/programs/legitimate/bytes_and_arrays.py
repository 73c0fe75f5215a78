"""Bytes, bytearrays, memory views, struct and array work."""
# topic: numbers
# call: packed(258)
# call: reversed_bytes(b"abc")
# call: mutable()
# call: doubled([1, 2, 3])
# call: all_bytes()

import array
import struct


def packed(n):
    return struct.pack("<IhB", n, -1, 255), n.to_bytes(4, "big"), int.from_bytes(b"\x01\x02", "little")


def reversed_bytes(data):
    return bytes(memoryview(data)[::-1])


def mutable():
    data = bytearray(b"abc")
    data[0] = 0
    return data


def doubled(numbers):
    return array.array("i", [2 * number for number in numbers]).tolist()


def all_bytes():
    return bytes(range(256))
