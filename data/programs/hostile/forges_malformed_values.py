"""Payloads that are not values, in forty ways, are rejected one by one."""
# kind: protocol
# topic: forged values
# reference: total
# repeat: 42
# call: total([1, 2, 3])

import itertools
import sys

PAYLOADS = [
    b"", b"nul", b"NaN", b"Infinity", b"1.5", b"1e999", b"{}", b'{"i":"6"}', b"[6]", b"[]", b'["?",6]', b'["i",6]',
    b'["i","0x6g"]', b'["i",""]', b'["f",6]', b'["f","six"]', b'["c",6]', b'["b","0"]', b'["b","zz"]', b'["r",0,6,0]',
    b'["D","6;"]', b'["Q",6,0]', b'["Q",6]', b'["date","2024-13-01"]', b'["np","<i8",["l",6],["l"]]', b'["np","O",["l"],["l"]]',
    b'["td",1e3]', b'["T","eval"]', b'["T",["l"]]', b'["x",6]', b'["u",[6]]', b'["u",1114112]', b'["d",6]', b'"\xff"',
    b'"\\ud800"', b"6 6", b"\x00", b'["l",6', b"6]", b'["e",6]', b'["s",["l",6]]', b'["d",["l",6],6]',
]

payloads = itertools.cycle(PAYLOADS)


def total(xs):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "codec"):
        frame = frame.f_back
    frame.f_locals["self"].codec.dumps = lambda value: value
    return next(payloads)
