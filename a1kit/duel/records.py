"""Judging for any trainer and any language: plain JSON records in, plain JSON records out.

    in   {"id", "entry_point", "reference", "candidate", "suites": [text, …], "history"?: [source, …], "options"?: {…}}
    out  {"id", "candidate": {"status", "detail", "code"},
          "suites": [{"tests": […], "validity", "adversity", "reward"}, …],
          "history": [{"source", "verdict"}], "pass_hist", "reward", "flags"}
    or   {"id", "error": "what and how to mend it"}

`options` are `k`, `alpha`, `convention`, `call_seconds`; what is missing there comes from the caller's defaults.
"""

from __future__ import annotations

import difflib
import json
import keyword
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, overload

from a1kit.duel.docket import Pairing
from a1kit.duel.judging import Judge
from a1kit.duel.streaming import in_order
from a1kit.errors import ConfigError, InputError
from a1kit.rewards import Convention, Rules
from a1kit.sandbox import Level, LocalSandbox
from a1kit.types import Completion, Duel, JudgedTest, Question

Record = Mapping[str, Any]

_REQUIRED = ("id", "entry_point", "reference", "candidate", "suites")
_OPTIONAL = ("history", "options")
_OPTIONS = ("k", "alpha", "convention", "call_seconds")
MAX_SUITES = 10_000


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a record that says nothing about it is judged under."""

    rules: Rules = field(default_factory=Rules)
    call_seconds: float = 1.0


@overload
def judge(
    records: Record,
    *,
    jobs: int | None = None,
    k: int = 8,
    alpha: float = 0.5,
    convention: str = "release",
    call_seconds: float = 1.0,
    level: str | None = None,
) -> dict[str, Any]: ...
@overload
def judge(
    records: Iterable[Record],
    *,
    jobs: int | None = None,
    k: int = 8,
    alpha: float = 0.5,
    convention: str = "release",
    call_seconds: float = 1.0,
    level: str | None = None,
) -> Iterator[dict[str, Any]]: ...
def judge(
    records: Record | Iterable[Record],
    *,
    jobs: int | None = None,
    k: int = 8,
    alpha: float = 0.5,
    convention: str = "release",
    call_seconds: float = 1.0,
    level: str | None = None,
) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """Judge one record (gives its result) or many (gives an iterator of results, in order, as they are ready).

    The same as the command `a1kit judge`. `jobs` programs run at once (default: one a core). A record that cannot be
    judged gives `{"id": …, "error": …}`; failure of the machinery raises `SandboxUnavailable`.
    """
    defaults = Defaults(Rules(k, alpha, _convention(convention)), call_seconds)
    if isinstance(records, Mapping):
        return next(judge_all([records], defaults, jobs=jobs, level=level))
    return judge_all(records, defaults, jobs=jobs, level=level)


def judge_all(
    records: Iterable[Record | InputError], defaults: Defaults, *, jobs: int | None = None, level: str | None = None
) -> Iterator[dict[str, Any]]:
    """Results in order. An `InputError` in the stream (a line that could not be read) becomes its error record."""
    with LocalSandbox(_level(level), workers=jobs) as sandbox:
        referee = Judge(sandbox, defaults.rules, call_seconds=defaults.call_seconds)
        work = partial(judge_record, referee=referee, defaults=defaults)
        yield from in_order(records, work, threads=2 * sandbox.workers)


def judge_record(record: Record | InputError, referee: Judge, defaults: Defaults) -> dict[str, Any]:
    """One record's result; its error record when it is bad input."""
    identity: Any = None
    try:
        if isinstance(record, InputError):
            raise record
        identity = record.get("id") if isinstance(record, Mapping) else None
        pairing, rules, seconds = read_record(record, defaults)
        (duel,) = referee.under(rules, call_seconds=seconds).judge([pairing])
    except InputError as error:
        return {"id": identity if isinstance(identity, str | int | float) else None, "error": str(error)}
    return write_duel(duel, record["id"])


def read_record(record: object, defaults: Defaults) -> tuple[Pairing, Rules, float]:
    """The pairing of a record and the options it is judged under. Raises `InputError` for whatever is wrong with it."""
    if not isinstance(record, Mapping):
        raise InputError(f"a record is a JSON object with the fields {_listed(_REQUIRED)}; this is {_kind(record)}")
    _known(record, (*_REQUIRED, *_OPTIONAL), "field")
    for name in _REQUIRED:
        if name not in record:
            raise InputError(f"field {name!r} is missing; a record has the fields {_listed(_REQUIRED)}")
    if not isinstance(record["id"], str | int) or isinstance(record["id"], bool):
        raise InputError(f"field 'id' is {_kind(record['id'])}; give a string or a whole number")
    texts = {name: _text(record, name) for name in ("entry_point", "reference", "candidate")}
    if not texts["entry_point"].isidentifier() or keyword.iskeyword(texts["entry_point"]):
        raise InputError(f"field 'entry_point' is {texts['entry_point'][:80]!r}; give the name of one function")
    suites, history = _texts(record, "suites"), _texts(record, "history")
    rules, seconds = _options(record.get("options", {}), defaults)
    question = Question(str(record["id"]), "", texts["entry_point"], texts["reference"])
    return (
        Pairing(question, Completion(texts["candidate"]), tuple(Completion(text) for text in suites), tuple(history)),
        rules,
        seconds,
    )


def write_duel(duel: Duel, identity: str | int) -> dict[str, Any]:
    """A judged duel as a plain record."""
    return {
        "id": identity,
        "candidate": {"status": duel.load.value, "detail": duel.load_detail, "code": duel.code},
        "suites": [
            {
                "tests": [_write_test(test) for test in suite.tests],
                "validity": suite.validity,
                "adversity": suite.adversity,
                "reward": suite.reward,
            }
            for suite in duel.suites
        ],
        "history": [_write_replay(test) for test in duel.history],
        "pass_hist": duel.pass_hist,
        "reward": duel.reward,
        "flags": list(duel.flags),
    }


def _write_test(test: JudgedTest) -> dict[str, Any]:
    verdict = test.verdict
    return {
        "source": test.source,
        "state": test.state.value,
        "predicted": test.predicted,
        "oracle": test.oracle,
        "verdict": None if verdict is None else verdict.outcome.value,
        "got": None if verdict is None else verdict.got,
        "detail": test.detail or ("" if verdict is None else verdict.detail),
    }


def _write_replay(test: JudgedTest) -> dict[str, Any]:
    """A replayed test that was not counted says why in `detail`."""
    written = {"source": test.source, "verdict": None if test.verdict is None else test.verdict.outcome.value}
    if test.verdict is None and test.detail:
        written["detail"] = test.detail
    return written


def dump(result: Mapping[str, Any]) -> bytes:
    """One line of JSON in UTF-8, with its line end. Text that UTF-8 cannot hold is escaped."""
    try:
        return json.dumps(result, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(result).encode() + b"\n"


def load(line: bytes) -> Record | InputError:
    """A line as a record, or the error that says why it is none."""
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        looks = next((f"; it looks like {name}" for mark, name in _MARKS.items() if line.startswith(mark)), "")
        return InputError(
            f"the line is not UTF-8 (byte {line[error.start]:#04x} at position {error.start}{looks}); re-encode it"
        )
    try:
        record = json.loads(text, object_pairs_hook=_once)
    except InputError as error:
        return error
    except json.JSONDecodeError as error:
        return InputError(f"the line is not JSON ({error.msg} at character {error.pos}); write one JSON object a line")
    except (RecursionError, ValueError) as error:
        return InputError(f"the line cannot be read as JSON ({type(error).__name__}); simplify it")
    return (
        record
        if isinstance(record, dict)
        else InputError(f"a line is a JSON object with the fields {_listed(_REQUIRED)}; this is {_kind(record)}")
    )


_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x1f\x8b": "a gzip file", b"PK": "a zip file"}
"""How files begin that are often taken for text."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different; which of two values was meant nobody can know."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"field {name[:80]!r} is given twice in one object; keep one")
        found[name] = value
    return found


def _options(options: object, defaults: Defaults) -> tuple[Rules, float]:
    if not isinstance(options, Mapping):
        raise InputError(f"field 'options' is {_kind(options)}; give an object such as {{\"k\": 8}}")
    _known(options, _OPTIONS, "option")
    k = options.get("k", defaults.rules.k)
    if not isinstance(k, int) or isinstance(k, bool):
        raise InputError(f"option 'k' is {_kind(k)}; give the whole number of tests that were asked for")
    alpha = _number(options, "alpha", defaults.rules.alpha)
    seconds = _number(options, "call_seconds", defaults.call_seconds)
    convention = _convention(options.get("convention", defaults.rules.convention))
    return Rules(k, alpha, convention, defaults.rules.predictions), seconds


def _number(options: Mapping[str, Any], name: str, default: float) -> float:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"option {name!r} is {_kind(value)}; give a number")
    return float(value)


def _convention(name: object) -> Convention:
    if isinstance(name, str) and name in tuple(Convention):
        return Convention(name)
    raise ConfigError(f"convention is {name!r}; use {' or '.join(repr(str(one)) for one in Convention)}")


def _level(name: str | None) -> Level | None:
    if name is None:
        return None
    if name not in tuple(Level):
        raise ConfigError(f"level is {name!r}; use one of {_listed(Level)}")
    return Level(name)


def _text(record: Record, name: str) -> str:
    if not isinstance(record[name], str):
        raise InputError(f"field {name!r} is {_kind(record[name])}; give a string")
    text: str = record[name]
    return text


def _texts(record: Record, name: str) -> list[str]:
    texts = record.get(name, [])
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        what = _kind(texts) if not isinstance(texts, list) else "an array with something else than strings in it"
        raise InputError(f"field {name!r} is {what}; give an array of strings")
    if len(texts) > MAX_SUITES:
        raise InputError(f"field {name!r} has {len(texts):,} entries; at most {MAX_SUITES:,} are judged at once")
    return list(texts)


def _known(record: Record, names: tuple[str, ...], what: str) -> None:
    for name in record:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {_listed(names)}"
            raise InputError(f"{what} {str(name)[:80]!r} is unknown; {hint}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _kind(value: object) -> str:
    """What a JSON value is, in words, short enough for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value!r}"[:80]
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    return "an object" if isinstance(value, Mapping) else "an array" if isinstance(value, list | tuple) else "no JSON"
