"""From a completion of the Test LLM to its tests.

    parse_tests("```python\\nassert add(1, 2) == 3\\nassert add(0, 0) != 1\\n```", "add")   # two `TestCase`s

Text that holds nothing but one-line assertions, which is what a trained tester writes, takes a short way: each line
is read by itself and remembered, so that a line which comes again costs a look-up. Everything else goes through
`unfold`. Text that does not parse is read statement by statement, so that a truncated last line or a remark in
between costs itself only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

from a1kit.parsing import names
from a1kit.parsing.assertions import Context, analyse, malformed
from a1kit.parsing.blocks import Block, dedent, split_blocks, without_chat_tokens, without_thinking
from a1kit.parsing.normal import Normaliser
from a1kit.parsing.raising import analyse_raising
from a1kit.parsing.setup import Setup
from a1kit.parsing.source import MAX_SOURCE, MAX_TEXT, Unparsable, bounded, chunks, clean, parse, plain_spaces
from a1kit.parsing.unfold import MAX_TESTS, TooMany, Unfolder
from a1kit.types import Form, TestCase

_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_CACHED = 1 << 14
_CACHED_LENGTH = 2000
_LOOKS_LIKE_TEST = re.compile(r"[ \t]*(?:assert\b|self\.assert|with (?:pytest\.)?raises|with self\.assertRaises)")
_LIST_MARK = re.compile(
    r"^[ \t]*(?:(?:[-*+•>]|>>>|\(?\d+[.):]\)?|(?:test|case|assertion)[ \t]*\d*[.):])[ \t]+)*(?:\*\*[^*]*\*\*:?[ \t]*)?",
    re.I,
)


def signature(source: str, entry_point: str) -> tuple[str, ...] | None:
    """Names of the positional parameters of a function, or of a method of `class Solution` without `self`; None when
    the source does not parse or does not define it."""
    try:
        tree = parse(clean(source))
    except Unparsable:
        return None
    found: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    method = False
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == entry_point:
            found, method = node, False
        elif isinstance(node, ast.ClassDef) and node.name == "Solution" and found is None:
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name == entry_point:
                    found, method = member, True
    if found is None:
        return None
    parameters = [argument.arg for argument in [*found.args.posonlyargs, *found.args.args]]
    return tuple(parameters[1:] if method else parameters)


def given_names(text: str, reference: str, entry_point: str) -> frozenset[str]:
    """Names besides the entry point that every program for a question can be expected to define.

    Those are the functions, classes and variables at the top level of the reference that the question's `text` names as
    code: `class Square`, `def encode(`, `` `encode` ``, `encode(…)`, `s: Square`, `-> Square`, `LIMIT = 3`. A name that
    only the reference has is not given, nor is one whose definition the text shows in a comment (`# class TreeNode:`
    means that somebody else provides it): a candidate that lacks it could not know that tests would use it.
    """
    try:
        tree = parse(clean(reference))
    except Unparsable:
        return frozenset()
    defined = names.binds(*(node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)))
    return frozenset(
        name for name in defined - {entry_point, "Solution"} if name[0] != "_" and _names_as_code(text, name)
    )


def _names_as_code(text: str, name: str) -> bool:
    if name not in text or re.search(rf"^[ \t]*#[ \t]*(?:class|def)[ \t]+{name}\b", text, re.M):
        return False
    places = (
        rf"\b(?:def|class)[ \t]+(?:(?:called|named)[ \t]+)?[`'\"]?{name}\b",  # its definition
        rf"(?<![\w.]){name}\(|`{name}`",
        rf"(?:->|\w:)[ \t]*[\"']?(?:\w+\[)*{name}\b",  # an annotation
        rf"^{name}[ \t]*(?::[^=\n]*)?=[^=]",
    )
    return any(re.search(place, text, re.M) for place in places)


def parse_tests(
    text: str,
    entry_point: str,
    *,
    parameters: tuple[str, ...] | None = None,
    known: frozenset[str] = frozenset(),
    limit: int | None = None,
) -> tuple[TestCase, ...]:
    """Every assertion of a completion as a `TestCase`, in order; what cannot be a test is `malformed` with a reason.

    `parameters` are the positional parameters of the reference (`signature`); with them a call by keyword has the same
    key as a call by position. `known` are names besides the entry point that every program defines (`given_names`); any
    other name that the text does not bind makes a test malformed. At most `limit` tests are returned (1,000 without
    one). Never raises for any text.
    """
    most = MAX_TESTS if limit is None else min(limit, MAX_TESTS)
    if len(text) > MAX_TEXT:
        return (malformed(text, f"the text is too large: {len(text):,} characters, at most {MAX_TEXT:,} are read"),)[
            :most
        ]
    context = Context(entry_point, parameters, known)
    short = _plain_lines(text, context, most)
    if short is not None:
        return short
    answer = without_thinking(clean(text))
    if answer.unfinished:
        return ()
    collector = _Collector(context, most)
    for block in _test_blocks(split_blocks(without_chat_tokens(answer.text)), entry_point):
        if not collector.read(block):
            break
    return tuple(collector.cases)


def parse_assertion(
    source: str,
    entry_point: str,
    *,
    parameters: tuple[str, ...] | None = None,
    known: frozenset[str] = frozenset(),
) -> TestCase:
    """The one test that a stored source holds: set-up first, the assertion last.

    `parse_assertion(case.source, …)` equals `case` for every well-formed case.
    """
    context = Context(entry_point, parameters, known)
    if "\n" not in source and source.startswith("assert ") and len(source) <= _CACHED_LENGTH and source.isascii():
        case = _line(source, context)
        if case.malformed is None:
            return case
    return _alone(source, context)


def _settled(case: TestCase, context: Context) -> TestCase:
    """The case as its own source is read. Without the statements that it does not need, a test is sometimes read more
    deeply: a result's name is replaced by its call once nothing in between might have changed it."""
    for _ in range(3):
        if case.malformed is not None or "\n" not in case.source:
            break
        alone = _alone(case.source, context)
        if alone.malformed is not None or alone == case:
            break
        case = alone
    return case


def _alone(source: str, context: Context) -> TestCase:
    collector = _Collector(context, MAX_TESTS, alone=True)
    collector.read(clean(source))
    good = [case for case in collector.cases if case.malformed is None]
    if len(collector.cases) == 1:
        return collector.cases[0]
    if not collector.cases:
        return malformed(source, "holds no assertion")
    if len(good) == 1:
        return good[0]
    return malformed(source, f"holds {len(collector.cases)} assertions where one is expected")


def corrected(
    case: TestCase, answers: Sequence[str] = (), *, exception: str | None = None, imports: Sequence[str] = ()
) -> str:
    """The source of `case` with the oracle's answers in place of the predicted ones.

    `answers` are Python expressions, one a slot (`case.answer_exprs`); for a test that expects an exception,
    `exception` is the name of the one the oracle raised, or `answers` holds the value it returned. `imports` are
    statements the answers need. `ValueError` when the number of answers does not fit.
    """
    pieces = case.template
    slots = list(answers)
    if case.negation is not None:
        head = "".join(f"{line}\n" for line in imports)
        return head + case.negation
    if case.form is Form.RAISES:
        if exception is not None:
            slots = [exception]
        else:
            pieces = case.value_template
    if pieces is None or len(pieces) != len(slots) + 1:
        expected = 0 if pieces is None else len(pieces) - 1
        raise ValueError(
            f"{len(slots)} answers for {expected} slots of {case.source!r}; give one for each of answer_exprs"
        )
    text = pieces[0] + "".join(slot + piece for slot, piece in zip(slots, pieces[1:], strict=True))
    return "".join(f"{line}\n" for line in imports) + text


# ── the short way ──


def _plain_lines(text: str, context: Context, most: int) -> tuple[TestCase, ...] | None:
    """The tests of a text that is one-line assertions and nothing else (a fence around them aside), else None."""
    if not text.isascii() or "\r" in text or "\\\n" in text:
        return None
    cases: list[TestCase] = []
    for raw in text.split("\n"):
        line = raw.rstrip()
        if line.startswith("assert "):
            if len(cases) >= most:
                break
            case = _line(line, context) if len(line) <= _CACHED_LENGTH else _line.__wrapped__(line, context)
            if case.malformed is not None and not case.malformed.startswith("the name"):
                return None
            cases.append(case)
        elif line and not (line.startswith("```") and line[3:].lower() in ("", "python", "py")) and line[0] != "#":
            return None
    return tuple(cases)


@lru_cache(maxsize=_CACHED)
def _line(text: str, context: Context) -> TestCase:
    """One line that is a whole assertion by itself, or a malformed case."""
    try:
        body = parse(text).body
    except Unparsable as error:
        return malformed(text, str(error))
    if len(body) != 1 or not isinstance(body[0], ast.Assert):
        return malformed(text, "not one assertion")
    node = body[0]
    if text[node.end_col_offset :].strip():
        text = text[: node.end_col_offset]
    quick = _equality_of_literals(node, text, context)
    return quick if quick is not None else analyse(node, text, Setup(context.entry_point), context)


def _equality_of_literals(node: ast.Assert, text: str, context: Context) -> TestCase | None:
    """`assert f(<literals>) == <literal>` without the general analysis; the result is the same."""
    test = node.test
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return None
    call, answer = test.left, test.comparators[0]
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == context.entry_point):
        return None
    if not (
        _is_literal(answer)
        and all(_is_literal(argument) for argument in call.args)
        and all(_is_literal(keyword.value) for keyword in call.keywords)
    ):
        return None
    if not text.isascii():
        return None
    begin, end = answer.col_offset, answer.end_col_offset
    called = text[call.col_offset : call.end_col_offset]
    check = f"_0{text[call.end_col_offset : test.end_col_offset]}"
    return TestCase(
        source=text,
        key=Normaliser(context.entry_point, context.parameters).text(call),
        calls=(called,),
        predicted=text[begin:end],
        check=check,
        answer_exprs=("_0",),
        template=(text[:begin], text[end:]),
    )


def _is_literal(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, _DISPLAYS):
        return all(type(element) is ast.Constant or _is_literal(element) for element in node.elts)
    if isinstance(node, ast.Dict):
        return all(map(_is_literal, node.keys)) and all(map(_is_literal, node.values))
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


# ── the long way ──


def _test_blocks(blocks: list[Block], entry_point: str) -> list[str]:
    """The texts to read: fences if one of them asserts something, or else everything. A fence that asserts nothing and
    defines the entry point shows a solution, and is no part of the tests."""
    fenced = [block for block in blocks if block.fenced and block.python]
    if any(_asserts(block) for block in fenced):
        shown = re.compile(rf"^(?:async )?(?:def|class) {re.escape(entry_point)}\b", re.M)
        return [block.text for block in fenced if _asserts(block) or not shown.search(block.text)]
    return [block.text for block in blocks if block.python]


def _asserts(block: Block) -> bool:
    return "assert" in block.text or "raises" in block.text


class _Collector:
    """Gathers the cases of one completion; its set-up runs on from block to block."""

    def __init__(self, context: Context, most: int, alone: bool = False) -> None:
        self.alone = alone
        self.context = context
        self.most = most
        self.cases: list[TestCase] = []
        self.setup = Setup(context.entry_point)
        self.unfolder = Unfolder(context.entry_point, context.known, self._emit, self._refuse)

    def read(self, text: str) -> bool:
        """Read one text; False when the limit is reached."""
        try:
            with bounded():
                self._read(dedent(text))
        except TooMany:
            return False
        except Unparsable as error:
            self.cases.append(malformed(text, str(error)))
        return True

    def _read(self, text: str) -> None:
        try:
            tree = parse(text)
        except Unparsable:
            spaced = plain_spaces(text)
            if spaced != text:
                self._read(spaced)
                return
            for chunk in chunks(text):
                self._chunk(chunk)
            return
        self.unfolder.module(tree, text, self.setup)

    def _chunk(self, chunk: str, again: bool = True) -> None:
        """One statement of a text that does not parse as a whole; prose is passed over."""
        if not chunk.strip():
            return
        try:
            tree = parse(chunk)
        except Unparsable as error:
            if again:
                self._lines(chunk)
            elif _LOOKS_LIKE_TEST.match(chunk) or self._looks_like_call(chunk):
                self._refuse(chunk.strip(), str(error))
            return
        if all(
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Name | ast.Constant | ast.Tuple)
            for node in tree.body
        ):
            return
        self.unfolder.module(tree, chunk, self.setup)

    def _lines(self, chunk: str) -> None:
        """A chunk that does not parse: an assertion behind a list mark or in backticks, with a remark below it, or
        prose with code below it."""
        head, _, rest = chunk.strip("\n").partition("\n")
        for text in dict.fromkeys((_unmarked(chunk.strip("\n")), _unmarked(head))):
            if _parses(text):
                self._chunk(text, again=False)
                if text != _unmarked(head):
                    return
                break
        else:
            self._chunk(_unmarked(chunk.strip("\n")), again=False)
            if _LOOKS_LIKE_TEST.match(_unmarked(chunk)):
                return
        for part in chunks(dedent(rest)):
            self._chunk(_unmarked(part), again=False)

    def _looks_like_call(self, chunk: str) -> bool:
        return chunk.lstrip().startswith(f"{self.context.entry_point}(") and "==" in chunk

    def _emit(self, text: str, setup: Setup, raising: bool) -> None:
        if len(self.cases) >= self.most:
            raise TooMany
        if len(text) > MAX_SOURCE:
            self._refuse(text, f"too large: {len(text):,} characters, at most {MAX_SOURCE:,} are read")
            return
        if raising:
            self.cases.append(analyse_raising(text, setup, self.context))
            return
        if not setup.steps and "\n" not in text and len(text) <= _CACHED_LENGTH:
            self.cases.append(_line(text, self.context))
            return
        try:
            node = parse(text).body[0]
        except Unparsable as error:
            self._refuse(text, str(error))
            return
        case = analyse(node, text, setup, self.context)
        self.cases.append(case if self.alone else _settled(case, self.context))

    def _refuse(self, text: str, reason: str) -> None:
        if len(self.cases) >= self.most:
            raise TooMany
        self.cases.append(malformed(text, reason))


def _parses(text: str) -> bool:
    try:
        return bool(parse(text).body)
    except Unparsable:
        return False


def _unmarked(chunk: str) -> str:
    """The assertion of `1. assert f(1) == 2`, `- \\`assert f(1) == 2\\`` and the like; the same text when there is
    none."""
    match = _LIST_MARK.match(chunk)
    rest = chunk[match.end() :] if match else chunk
    stripped = rest.strip()
    if stripped.startswith("`") and not stripped.startswith("```"):
        inner = stripped.strip("`")
        rest = inner.split("`")[0] if "`" in inner else inner
    return rest if _LOOKS_LIKE_TEST.match(rest) else chunk
