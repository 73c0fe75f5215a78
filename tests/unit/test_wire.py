"""The value wire: equal when Python says so, rebuilt from its source, and nothing a hostile child sends can hurt."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import json
import math
import random
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a1kit.sandbox import codec, wire
from a1kit.sandbox.fake import value_of

Decimal, Fraction = decimal.Decimal, fractions.Fraction


def equal(a: object, b: object, *, strict: bool = False) -> bool:
    return wire.same(value_of(a), value_of(b), strict=strict)


def rebuilt(thing: object) -> Any:
    value = value_of(thing)
    assert value.source is not None
    names: dict[str, Any] = {}
    exec("\n".join(value.imports), names)
    return eval(value.source, names)


numbers = st.one_of(
    st.integers(),
    st.booleans(),
    st.floats(),
    st.complex_numbers(),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000),
    st.fractions(max_denominator=1000),
    st.sampled_from(
        [0, 1, -1, 0.0, -0.0, 1.0, True, False, 2**53, 2.0**53, Decimal("0.5"), Fraction(1, 2), 0.5, 1 + 0j]
    ),
)
leaves = st.one_of(
    numbers,
    st.none(),
    st.text(),
    st.text(alphabet=st.characters(categories=["Cs"]), max_size=3),
    st.binary(max_size=5),
    st.dates(),
    st.datetimes(timezones=st.sampled_from([None, datetime.UTC, datetime.timezone(datetime.timedelta(hours=2))])),
    st.times(),
    st.timedeltas(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3)),
)
hashable = st.recursive(leaves, lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=3)))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.sets(hashable, max_size=3),
        st.frozensets(hashable, max_size=3),
        st.dictionaries(hashable, inner, max_size=3),
        st.builds(collections.deque, st.lists(inner, max_size=3)),
        st.builds(bytearray, st.binary(max_size=4)),
    ),
    max_leaves=12,
)


def has_nan(thing: object) -> bool:
    if isinstance(thing, (float, complex)):
        return thing != thing
    if isinstance(thing, dict):
        return any(has_nan(part) for pair in thing.items() for part in pair)
    return isinstance(thing, (list, tuple, set, frozenset, collections.deque)) and any(map(has_nan, thing))


@given(numbers, numbers)
def test_numbers_are_equal_exactly_when_python_says_so(a: Any, b: Any) -> None:
    assert has_nan(a) or has_nan(b) or equal(a, b) == (a == b)


@settings(max_examples=100)
@given(values, values)
def test_values_are_equal_exactly_when_python_says_so(a: Any, b: Any) -> None:
    assert has_nan(a) or has_nan(b) or equal(a, b) == (a == b)


@settings(max_examples=100)
@given(values)
def test_the_source_rebuilds_the_value_with_its_types(thing: Any) -> None:
    assert value_of(rebuilt(thing)).strict == value_of(thing).strict


@settings(max_examples=100)
@given(values)
def test_a_checker_rebuilds_the_value_from_the_wire(thing: Any) -> None:
    sent = codec.dumps(thing)
    assert value_of(codec.loads(sent)).strict == wire.read(sent).strict


@given(values)
def test_a_value_is_close_to_itself(thing: Any) -> None:
    assert wire.close(value_of(thing), value_of(thing))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (True, 1),
        (1, 1.0),
        (1, Decimal("1.00")),
        (0.5, Fraction(1, 2)),
        (Decimal("0.5"), Fraction(1, 2)),
        (1, 1 + 0j),
        (0.0, -0.0),
        (float("nan"), float("nan")),
        ([float("nan")], [float("nan")]),
        ({1, 2}, frozenset({2, 1})),
        (b"ab", bytearray(b"ab")),
        ({"a": 1, "b": 2}, collections.OrderedDict(b=2.0, a=True)),
        (range(0, 5, 2), range(0, 6, 2)),
        (range(0), range(5, 5)),
        (10**400, Decimal(10) ** 400),
        (float("inf"), Decimal("Infinity")),
        (
            datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.UTC),
            datetime.datetime(2020, 1, 1, 14, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        ),
    ],
)
def test_equal_values_of_different_types_are_the_same_but_not_strictly(a: Any, b: Any) -> None:
    assert equal(a, b)
    assert equal(a, b, strict=True) == (type(a) is type(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1, 2), [1, 2]),
        ([1, 2], [2, 1]),
        ("1", 1),
        ("a", b"a"),
        (None, False),
        ([], ()),
        ({}, set()),
        (0.1, Decimal("0.1")),
        (1e16, 10**16 + 1),
        (15, float.fromhex("0x0.fp0")),
        ("\ud83d\ude00", "\U0001f600"),
        ([1], collections.deque([1])),
        ({"a": 1}, {"a": 2}),
        ({1: "a"}, {1.5: "a"}),
        (datetime.datetime(2020, 1, 1), datetime.date(2020, 1, 1)),
        (["a,b"], ["a", "b"]),
        (['a","b'], ["a", "b"]),
    ],
)
def test_different_values_are_not_the_same(a: Any, b: Any) -> None:
    assert not equal(a, b)


def test_a_subclass_travels_as_what_it_is_underneath() -> None:
    class Liar(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            return iter([0])

        def __len__(self) -> int:
            return 0

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "[1, 2, 3]"

    class Colour(enum.IntEnum):
        RED = 3

    class Word(str):
        __slots__ = ()

    Point = collections.namedtuple("Point", "x y")
    assert value_of(Liar([7, 8])).source == "[7, 8]"
    assert value_of(Colour.RED).source == "3"
    assert value_of(Word("hi")).source == "'hi'"
    assert value_of(Point(1, 2)).source == "(1, 2)"
    assert equal(collections.Counter("aab"), {"a": 2, "b": 1})
    assert equal(collections.defaultdict(list, {"a": [1]}), {"a": [1]})
    assert equal(collections.OrderedDict(a=1), {"a": 1})


def test_numpy_scalars_are_numbers_and_arrays_keep_their_shape() -> None:
    numpy = pytest.importorskip("numpy")
    assert equal(numpy.int64(3), 3) and equal(numpy.float64(0.1), 0.1) and equal(numpy.bool_(True), True)
    assert equal(numpy.arange(3), numpy.array([0.0, 1.0, 2.0]))
    assert not equal(numpy.arange(3), numpy.array([0.0, 1.0, 2.0])) or not equal(
        numpy.arange(3), numpy.array([0.0, 1.0, 2.0]), strict=True
    )
    assert not equal(numpy.arange(4), numpy.arange(4).reshape(2, 2))
    assert not equal(numpy.arange(3), [0, 1, 2])
    assert (rebuilt(numpy.arange(4).reshape(2, 2)) == numpy.arange(4).reshape(2, 2)).all()
    assert equal(numpy.array([math.nan]), numpy.array([math.nan]))


def test_integers_of_five_thousand_digits_come_back_as_they_were() -> None:
    number = 10**5000 + 7
    assert rebuilt(number) == number and rebuilt(-number) == -number
    assert equal([number], [number]) and not equal(number, number + 1)


def test_the_digit_limit_of_this_process_changes_nothing() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        wire._read_small.cache_clear()
        assert rebuilt(10**700) == 10**700
        assert equal(Decimal(10**639) * 10**100, 10**739)
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("thing", [object(), lambda: 0, (x for x in ()), {1: object()}, [1 << (1 << 20)], iter([])])
def test_what_has_no_encoding_is_unsupported(thing: object) -> None:
    with pytest.raises(codec.Unsupported):
        value_of(thing)


def test_a_cycle_is_unsupported_and_not_endless() -> None:
    loop: list[Any] = []
    loop.extend([loop, loop])
    with pytest.raises(codec.Unsupported, match=r"contains itself|parts"):
        value_of(loop)


def test_an_exception_travels_by_its_name_and_has_no_source() -> None:
    value = value_of([ValueError("secret")])
    assert "ValueError" in value.canonical and "secret" not in value.canonical and value.source is None


def test_a_long_canonical_form_is_a_digest_and_still_tells_apart() -> None:
    one, two = list(range(5000)), [*range(4999), 0]
    assert len(value_of(one).canonical) < 100
    assert equal(one, list(range(5000))) and not equal(one, two)


def test_an_enormous_source_is_not_kept() -> None:
    assert value_of("x" * 200_000).source is None


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        (0.1 + 0.2, 0.3, True),
        ([0.1 + 0.2, {"a": (1.0,)}], [0.3, {"a": (1.0 + 1e-12,)}], True),
        ({"b": 1.0, "a": 2.0}, {"a": 2.0, "b": 1.0 + 1e-12}, True),
        (1, 1.0 + 1e-12, True),
        (1.0, 1.1, False),
        ([1.0], (1.0,), False),
        ([1.0], [1.0, 2.0], False),
        ("a", 1.0, False),
        ({"a": 1.0}, {"b": 1.0}, False),
        (float("nan"), 1.0, False),
        (10**400, 1.0, False),
    ],
)
def test_closeness_compares_numbers_within_tolerance_wherever_they_stand(a: Any, b: Any, near: bool) -> None:
    assert wire.close(value_of(a), value_of(b), rel_tol=1e-9) is near


def mod_zero(count: int) -> list[int]:
    """Integers whose hash is 0: a set of them takes quadratic time to build."""
    return [(2**61 - 1) * i for i in range(count)]


HOSTILE: dict[str, bytes] = {
    "integers that all hash to zero in a set": json.dumps(["s", *[["i", f"{n:x}"] for n in mod_zero(60_000)]]).encode(),
    "the same as keys of a dict": json.dumps(["d", *[["i", f"{n:x}"] for n in mod_zero(60_000)]]).encode(),
    "a JSON object with many keys": json.dumps({f"k{i}": 0 for i in range(200_000)}).encode(),
    "deep nesting": b'["l",' * 50_000 + b"0" + b"]" * 50_000,
    "unclosed nesting": b"[" * 4_000_000,
    "millions of empty lists": b"[" + b"[]," * 1_300_000 + b"[]]",
    "millions of small integers": b'["l"' + b",0" * 2_000_000 + b"]",
    "millions of strings": b'["l"' + b',""' * 1_300_000 + b"]",
    "a string of escaped quotes that never ends": b'["l","' + b'\\"' * 2_000_000,
    "a string of backslashes": b'"' + b"\\\\" * 2_000_000 + b'"',
    "a bare integer of millions of digits": b"9" * 4_000_000,
    "a bare integer of millions of digits in a list": b'["l",' + b"9" * 4_000_000 + b"]",
    "an integer of millions of hexadecimal digits": b'["i","' + b"f" * 4_000_000 + b'"]',
    "decimals with huge exponents": json.dumps(["l", *[["D", "1E+5000"]] * 60_000]).encode(),
    "decimals with monstrous exponents": json.dumps(["l", *[["D", f"1E+{10**17}"]] * 60_000]).encode(),
    "a decimal of millions of digits": b'["D","' + b"9" * 4_000_000 + b'"]',
    "fractions of huge integers": json.dumps(["l", *[["Q", ["i", "f" * 4000], ["i", "e" * 4000]]] * 400]).encode(),
    "one fraction of enormous integers": json.dumps(["Q", ["i", "f" * 200_000], ["i", "e" * 200_000]]).encode(),
    "an array with a huge shape": b'["np","<i8",["l",9999999999],["l"]]',
    "an array of a dtype that runs code": b'["np","O",["l",1],["l",0]]',
    "an array of a dtype with a huge size": b'["np","<U99999999999",["l",0],["l"]]',
    "not a value": b"{}",
    "a bare float": b"1.5",
    "bare infinity": b"Infinity",
    "bytes that are not ASCII": b'"\xff"',
    "nothing": b"",
    "a tag that is not a string": b"[1]",
    "an unknown tag": b'["zz"]',
    "no tag": b"[]",
    "a list for a tag": b'[["l"]]',
    "a key without a value": b'["d",1]',
    "a float that is none": b'["f","0x"]',
    "a float that goes on": b'["f","0x1p999999999999999999999999999999999999999"]',
    "a range of step zero": b'["r",0,1,0]',
    "a fraction over zero": b'["Q",1,0]',
    "a date that is none": b'["date","2020-99-99"]',
    "a duration of strings": b'["td","1","2","3"]',
    "a duration too long": b'["td",99999999999,0,0]',
    "a code point too high": b'["u",[99999999]]',
    "a type name that is code": b'["T","__import__(\'os\')"]',
    "an exception name that is code": b'["x","a b"]',
    "parts too few": b'["c","0x0p0"]',
    "parts too many": b'["i","1","2"]',
    "too many bytes": b'"' + b"a" * (5 << 20) + b'"',
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_bytes_are_rejected_or_described_without_harm(name: str) -> None:
    try:
        value = wire.read(HOSTILE[name])
    except wire.WireError:
        return
    assert len(value.canonical) < 5_000 and len(value.strict) < 5_000
    assert value.source is None or len(value.source) <= wire.MAX_SOURCE


def test_sets_with_colliding_hashes_are_compared_all_the_same() -> None:
    members = mod_zero(2_000)
    shuffled = random.Random(0).sample(members, len(members))
    one, two = (
        wire.read(json.dumps(["s", *[["i", f"{n:x}"] for n in order]]).encode()) for order in (members, shuffled)
    )
    assert wire.same(one, two)


def test_repeated_elements_of_a_forged_set_count_once() -> None:
    assert wire.same(wire.read(b'["s",1,["f","0x1p0"],true,2]'), value_of({1, 2}))
    assert wire.read(b'["s",1,1,2]').source == "{1, 2}"


def test_the_last_of_repeated_keys_counts_as_in_a_dict() -> None:
    assert wire.same(wire.read(b'["d",1,"a",1,"b"]'), value_of({1: "b"}))


@given(st.binary(max_size=60))
def test_arbitrary_bytes_raise_nothing_but_wire_error(data: bytes) -> None:
    try:
        wire.read(data)
    except wire.WireError:
        pass


trees = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53), 2**53),
        st.text(max_size=4),
        st.sampled_from(list("ifcubBltsFqdrDQxTe")),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(st.sampled_from([*"ifcubBltsFqdrDQxTe", "np", "dt", "td", "date", "time"]), inner).map(list),
        st.tuples(st.sampled_from(["np", "c", "r", "Q", "td", "d"]), inner, inner, inner).map(list),
    ),
    max_leaves=10,
)


@settings(max_examples=150)
@given(trees)
def test_forged_trees_raise_nothing_but_wire_error(tree: Any) -> None:
    try:
        value = wire.read(json.dumps(tree).encode())
    except wire.WireError:
        return
    wire.close(value, value_of([1.5]))
    assert isinstance(value.canonical, str)
