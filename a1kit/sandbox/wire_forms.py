"""The leaves of the value wire: checked scalars, and the canonical text of each.

Every function takes one tagged tree (see `a1kit.sandbox.codec`), checks that it has exactly the shape it must have,
and raises ValueError or TypeError otherwise. Work that is not linear in the bytes (huge exponents, fractions of huge
integers) is charged to a `Budget`.

Numbers share one canonical form, because Python's `==` looks through their types: integers as hexadecimal, then exact
floats as `float.hex`, then a fraction in lowest terms.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from fractions import Fraction
from typing import Any

MAX_INT_HEX = (1 << 20) // 4 + 2
_MAX_EXACT_DIGITS = 4_000
_MAX_EXACT_EXPONENT = 5_000
_MAX_DECIMAL_CHARS = 400_000
_MAX_FRACTION_BITS = 20_000

_HEX = re.compile(r"-?[0-9a-f]+")
_DECIMAL = re.compile(r"(-?)(?:(\d+)(?:\.(\d*))?(?:E([+-]\d{1,18}))?|(Infinity)|(s?NaN)\d*)")


class Budget:
    """How many bits of slow arithmetic one value may still cost."""

    def __init__(self, bits: int = 4_000_000) -> None:
        self.bits = bits

    def spend(self, bits: int) -> None:
        self.bits -= bits
        if self.bits < 0:
            raise ValueError("too many huge fractions or decimals")


def text(string: str) -> str:
    """Canonical form of a string; one that holds surrogates is spelt by code point, as JSON would merge pairs."""
    if string.isascii():
        return "s" + json.dumps(string)
    try:
        string.encode("utf-8")
    except UnicodeEncodeError:
        return "u" + ".".join(f"{ord(char):x}" for char in string)
    return "s" + json.dumps(string)


def _only(tree: Any, length: int) -> Any:
    if len(tree) != length:
        raise ValueError(f"tag {tree[0]!r} with {len(tree) - 1} parts")
    return tree


def string(tree: Any, place: int = 1) -> str:
    """The text at `tree[place]`."""
    part = tree[place]
    if type(part) is not str:
        raise TypeError(f"tag {tree[0]!r} without its text")
    return part


def name(tree: Any) -> str:
    """The identifier in an exception or type tree."""
    part = string(_only(tree, 2))
    if not part.isidentifier() or len(part) > 200:
        raise ValueError("a type name that is no identifier")
    return part if part.isascii() else ascii(part)


def ellipsis(tree: Any) -> str:
    _only(tree, 1)
    return "e"


def integer(tree: Any) -> int:
    digits = string(_only(tree, 2))
    if len(digits) > MAX_INT_HEX or not _HEX.fullmatch(digits):
        raise ValueError("a malformed or enormous integer")
    return int(digits, 16)


def whole(tree: Any) -> int:
    """An integer in either of its two spellings."""
    if type(tree) is int:
        return tree
    if type(tree) is list and tree[:1] == ["i"]:
        return integer(tree)
    raise TypeError("not an integer")


def float_of(tree: Any, place: int) -> float:
    digits = string(_only(tree, 3 if tree[0] == "c" else 2), place)
    if len(digits) > 40:
        raise ValueError("a malformed float")
    return float.fromhex(digits)


def real(number: float) -> str:
    """Canonical text of a float (without its letter)."""
    if number != number:
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return f"{int(number):x}" if number == int(number) else f"f{number.hex()}"


def rational(numerator: int, denominator: int) -> str:
    """Canonical text of a ratio in lowest terms."""
    if denominator == 1:
        return f"{numerator:x}"
    try:
        nearest = numerator / denominator
        if nearest.as_integer_ratio() == (numerator, denominator):
            return f"f{nearest.hex()}"
    except OverflowError:
        pass
    return f"q{numerator:x}/{denominator:x}"


def complex_text(tree: Any, strict: bool) -> str:
    re_part, im_part = float_of(tree, 1), float_of(tree, 2)
    if strict:
        return f"C:{real(re_part)},{real(im_part)}"
    return f"n{real(re_part)}" if im_part == 0 else f"c{real(re_part)},{real(im_part)}"


def code_points(tree: Any) -> str:
    points = _only(tree, 2)[1]
    if type(points) is not list or any(type(point) is not int for point in points):
        raise TypeError("a string without code points")
    return "".join(map(chr, points))


def raw(tree: Any) -> bytes:
    return bytes.fromhex(string(_only(tree, 2)))


def range_text(tree: Any) -> str:
    """Ranges are equal when they yield the same numbers: length, then start, then step, as far as they matter."""
    start, stop, step = (whole(part) for part in _only(tree, 4)[1:])
    numbers = range(start, stop, step)
    length = max(0, (numbers.stop - numbers.start + step - (1 if step > 0 else -1)) // step)
    return f"r{length:x}" + (f",{start:x}" if length else "") + (f",{step:x}" if length > 1 else "")


def decimal_text(tree: Any, work: Budget) -> str:
    """Canonical number text of a Decimal: exact when it is of ordinary size, else normalised digits and exponent."""
    written = string(_only(tree, 2))
    found = _DECIMAL.fullmatch(written) if len(written) <= _MAX_DECIMAL_CHARS and written.isascii() else None
    if found is None:
        raise ValueError("a malformed or enormous Decimal")
    sign, digits, fraction, exponent, infinity, nan = found.groups()
    if nan:
        return "nan"
    if infinity:
        return sign + "inf"
    power = int(exponent or 0) - len(fraction or "")
    figures = (digits + (fraction or "")).lstrip("0")
    kept = figures.rstrip("0")
    power += len(figures) - len(kept)
    if not kept:
        return "0"
    if len(kept) > _MAX_EXACT_DIGITS or abs(power) > _MAX_EXACT_EXPONENT:
        return f"E{sign}{kept}e{power}"
    work.spend(4 * (len(kept) + abs(power)))
    mantissa = _int_of_digits(sign + kept)
    value = Fraction(mantissa * 10**power) if power >= 0 else Fraction(mantissa, 10**-power)
    return rational(value.numerator, value.denominator)


def _int_of_digits(digits: str) -> int:
    """`int(digits)` in pieces: the interpreter's limit on digits may have been set as low as 640."""
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    number = 0
    for start in range(0, len(digits), 500):
        piece = digits[start : start + 500]
        number = number * 10 ** len(piece) + int(piece)
    return sign * number


def fraction(tree: Any) -> tuple[int, int]:
    """Numerator and denominator, in lowest terms and with a positive denominator as Fraction keeps them."""
    numerator, denominator = (whole(part) for part in _only(tree, 3)[1:])
    if denominator <= 0:
        raise ValueError("a fraction with a denominator that is not positive")
    return numerator, denominator


def fraction_text(tree: Any, work: Budget) -> str:
    numerator, denominator = fraction(tree)
    bits = numerator.bit_length() + denominator.bit_length()
    if bits > 2 * _MAX_FRACTION_BITS:
        raise ValueError("an enormous fraction")
    work.spend(bits)
    shared = math.gcd(numerator, denominator)
    return rational(numerator // shared, denominator // shared)


def date(tree: Any) -> datetime.date:
    return datetime.date.fromisoformat(string(_only(tree, 2)))


def time(tree: Any) -> datetime.time:
    return datetime.time.fromisoformat(string(_only(tree, 2)))


def moment(tree: Any) -> datetime.datetime:
    return datetime.datetime.fromisoformat(string(_only(tree, 2)))


def instant(value: datetime.datetime) -> str:
    """Aware datetimes are equal when they are the same instant; a naive one equals none of them."""
    if value.tzinfo is None:
        return f"dt{value.isoformat()}"
    try:
        return f"dt{value.astimezone(datetime.UTC).isoformat()}"
    except OverflowError:
        return f"dt{value.isoformat()}"


def duration(tree: Any) -> datetime.timedelta:
    days, seconds, microseconds = _only(tree, 4)[1:]
    if any(type(part) is not int for part in (days, seconds, microseconds)):
        raise TypeError("a duration without numbers")
    return datetime.timedelta(days, seconds, microseconds)


def as_float(tree: Any) -> float | None:
    """A real number as a float (for tolerances), or None for everything else."""
    try:
        if type(tree) is int or type(tree) is bool:
            return float(tree)
        if type(tree) is list and tree:
            if tree[0] == "i":
                return float(integer(tree))
            if tree[0] == "f":
                return float_of(tree, 1)
            if tree[0] == "D":
                return float(string(_only(tree, 2)))
            if tree[0] == "Q":
                numerator, denominator = fraction(tree)
                return numerator / denominator
    except (ValueError, TypeError, OverflowError):
        return None
    return None
