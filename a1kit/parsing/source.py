"""Reading text as Python without trusting it: cleaning, parsing within bounds, positions, and pieces of broken text.

Everything a model writes passes through here first. Three promises:

* nothing is executed, and nothing is emitted (a bad escape in a model's string must not warn on our terminal);
* time and memory are bounded: sizes are capped before the parser sees a text, and whatever the parser raises
  (`SyntaxError`, `RecursionError`, `MemoryError`, `ValueError`) becomes one `Unparsable` with a sentence;
* cleaning never changes what a program means. Line ends become `\\n` (as Python's own reader does), a byte-order mark
  goes, a lone surrogate becomes its escape, and a decimal integer too long for Python's digit limit becomes
  hexadecimal, so that the text can be encoded, stored and compiled anywhere.

Not handled: source in another encoding (callers hand over `str`), and the line-splitting of f-strings that nest their
own quotes in the scanner that looks for logical lines (Python 3.12 allows them; the parser itself reads them fine).
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, cast

MAX_SOURCE = 100_000
"""Characters of one test, or of one candidate, that are parsed at all."""

MAX_TEXT = 400_000
"""Characters of a whole completion that are looked at."""

MAX_DIGITS = 4300
"""Decimal digits that Python converts without complaint (`sys.int_info.default_max_str_digits`)."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG_NUMBER = re.compile(rf"[0-9][0-9_]{{{MAX_DIGITS - 1},}}")
_WARNS = re.compile(r"\\|(?<![\w.])\.?[0-9][\w.]*(?:and|else|for|if|in|is|not|or)")
_QUIET = threading.Lock()

_LEAVES = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<triple>'''(?:[^'\\]|\\.|'(?!''))*(?:''')? | \"\"\"(?:[^"\\]|\\.|"(?!""))*(?:\"\"\")?)
      | (?P<string>'(?:[^'\\\n]|\\.)*'? | "(?:[^"\\\n]|\\.)*"?)
      | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<joined>\\\n) | (?P<line>\n)
    """,
    re.VERBOSE | re.DOTALL,
)
_NEVER_INSIDE_BRACKETS = re.compile(
    r"(?:assert|def|class|import|async def)\b[ (]|from [\w.]+ import\b|@\w|self\.assert"
)
_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")


class Unparsable(Exception):
    """Text that is not Python, with the reason as a sentence. Stays inside the parsing package."""


def clean(text: str) -> str:
    """The same program with `\\n` line ends, no byte-order mark, no lone surrogates and no over-long decimals."""
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    if len(text) > MAX_DIGITS and _LONG_NUMBER.search(text):
        text = _shorten_numbers(text)
    return text


_ODD_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_NO_SPACE = re.compile("[\u200b-\u200d\u2060\ufeff]")


def plain_spaces(text: str) -> str:
    """The same code with spaces that Python does not know (no-break, zero-width) made plain or dropped, outside strings
    and comments."""
    if text.isascii() or not (_ODD_SPACE.search(text) or _NO_SPACE.search(text)):
        return text
    pieces: list[str] = []
    last = 0
    for match in _TOKEN.finditer(text):
        if match.lastgroup in ("comment", "triple", "string"):
            pieces += [_NO_SPACE.sub("", _ODD_SPACE.sub(" ", text[last : match.start()])), match[0]]
            last = match.end()
    return "".join([*pieces, _NO_SPACE.sub("", _ODD_SPACE.sub(" ", text[last:]))])


def _shorten_numbers(text: str) -> str:
    """Write decimal integers over the digit limit in hexadecimal, outside strings and comments."""
    pieces: list[str] = []
    last = 0
    for match in _TOKEN.finditer(text):
        if match.lastgroup in ("comment", "triple", "string"):
            pieces += [_hexadecimal(text[last : match.start()]), match[0]]
            last = match.end()
    return "".join([*pieces, _hexadecimal(text[last:])])


def _hexadecimal(code: str) -> str:
    def number(match: re.Match[str]) -> str:
        if len(match[0]) > MAX_SOURCE:
            return match[0]
        before = code[match.start() - 1 : match.start()]
        after = code[match.end() : match.end() + 1]
        if before.isalnum() or before in ("_", ".") or (after and (after.isalnum() or after in "._")):
            return match[0]
        return hex(_integer(match[0].replace("_", "")))

    return _LONG_NUMBER.sub(number, code)


def _integer(digits: str) -> int:
    """`int(digits)` in halves, without the digit limit (which is interpreter-wide and not ours to change)."""
    if len(digits) <= MAX_DIGITS:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return _integer(digits[:-half]) * power + _integer(digits[-half:])


def parse(source: str) -> ast.Module:
    """The syntax tree of `source`; `Unparsable` with the reason when there is none."""
    if len(source) > MAX_SOURCE:
        raise Unparsable(f"too large: {len(source):,} characters, at most {MAX_SOURCE:,} are read")
    try:
        if _WARNS.search(source):
            with _QUIET, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return module_tree(source)
        return module_tree(source)
    except SyntaxError as error:
        raise Unparsable(f"syntax error in line {error.lineno or 1}: {_one_line(error.msg)}") from None
    except (RecursionError, MemoryError):
        raise Unparsable("nested too deeply to be parsed") from None
    except ValueError as error:
        raise Unparsable(f"cannot be parsed: {_one_line(str(error))}") from None


_BUILDING = threading.RLock()
_TRIES = 5


def syntax_tree(source: str, mode: Literal["exec", "eval"] = "exec") -> ast.mod:
    """`ast.parse` that several threads may call at once; everything of a1kit that wants a tree asks here.

    CPython counts the depth of a tree under construction for the whole interpreter, so two threads that build trees
    side by side (the collector may run Python code meanwhile, and with it another thread) get a SystemError: gh-106905.
    One builds at a time here; a collision with somebody else's thread is tried again.
    """
    for left in reversed(range(_TRIES)):
        try:
            with _BUILDING:
                return cast(ast.mod, compile(source, "<text>", mode, ast.PyCF_ONLY_AST, dont_inherit=True))
        except SystemError:
            if not left:
                raise
    raise AssertionError("not reached")


def module_tree(source: str) -> ast.Module:
    """The tree of a whole program; raises what `ast.parse` raises."""
    tree = syntax_tree(source)
    assert isinstance(tree, ast.Module)
    return tree


def expression_tree(source: str) -> ast.expr:
    """The tree of one expression."""
    tree = syntax_tree(source, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def _one_line(message: str) -> str:
    return " ".join(message.split())[:160]


@contextmanager
def bounded() -> Iterator[None]:
    """Turn running out of stack or memory inside a walk over a tree into `Unparsable`."""
    try:
        yield
    except (RecursionError, MemoryError):
        raise Unparsable("nested too deeply to be read") from None


class Segments:
    """Character positions of the nodes of one source text (the parser counts UTF-8 bytes)."""

    __slots__ = ("_lines", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        self._lines: list[bytes] | None = None if text.isascii() else [line.encode() for line in text.split("\n")]
        if "\n" in text:
            for line in text.split("\n"):
                self._starts.append(self._starts[-1] + len(line) + 1)

    def offset(self, line: int, column: int) -> int:
        """Characters before the place that the parser calls `line` (from 1), `column` (bytes)."""
        start = self._starts[line - 1]
        if self._lines is None:
            return start + column
        return start + len(self._lines[line - 1][:column].decode())

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def of(self, node: ast.expr | ast.stmt) -> str:
        return self.text[self.start(node) : self.end(node)]


class _BigNumbers(ast.NodeTransformer):
    """Integers that Python would refuse to print become names that spell them in hexadecimal."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, int) and not isinstance(node.value, bool) and node.value.bit_length() > 14_000:
            return ast.copy_location(ast.Name(hex(node.value), ast.Load()), node)
        return node


def render(node: ast.AST) -> str:
    """Source of a tree that was changed (an unchanged one keeps its own text, see `Segments`)."""
    try:
        try:
            text = ast.unparse(node)
        except ValueError:
            text = ast.unparse(_BigNumbers().visit(copy_tree(node)))
        if any(isinstance(child, ast.JoinedStr) for child in walk(node)):
            _check_rendering(node, text)
    except (RecursionError, MemoryError):
        raise Unparsable("nested too deeply to be written back") from None
    except ValueError:
        raise Unparsable("holds an f-string that cannot be written back") from None
    return text


def _check_rendering(node: ast.AST, text: str) -> None:
    """f-strings with quotes in quotes are not always unparsed to the same program: refuse those."""
    body = parse(text).body
    again: ast.AST = ast.Module(body, [])
    if isinstance(node, ast.expr):
        statement = body[0]
        again = statement.value if isinstance(statement, ast.Expr) else statement
    elif isinstance(node, ast.stmt):
        again = body[0]
    if ast.dump(again) != ast.dump(node):
        raise ValueError(text)


def walk(tree: ast.AST) -> list[ast.AST]:
    """Every node of a tree, parents before children (several times quicker than `ast.walk`, which promises no more)."""
    found = [tree]
    for node in found:
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, list):
                found += [item for item in child if isinstance(item, ast.AST)]
            elif isinstance(child, ast.AST) and not isinstance(child, _LEAVES):
                found.append(child)
    return found


def copy_tree(node: ast.AST) -> ast.AST:
    """A deep copy of a tree (several times quicker than `copy.deepcopy`)."""
    fresh = type(node)()
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            value = copy_tree(value)
        elif isinstance(value, list):
            value = [copy_tree(item) if isinstance(item, ast.AST) else item for item in value]
        setattr(fresh, name, value)
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        if hasattr(node, name):
            setattr(fresh, name, getattr(node, name))
    return fresh


def chunks(text: str) -> list[str]:
    """Split text that does not parse into its top-level statements, as far as they can be told apart.

    A chunk is a logical line without indentation together with the indented lines below it. Prose gives chunks too;
    the caller tries each one on its own. Linear in the length of the text.
    """
    lines = text.split("\n")
    logical = _logical_lines(text, lines)
    out: list[list[str]] = []
    glued = False
    for first, last in logical:
        head = lines[first]
        inside = not head.strip() or head[0] in " \t" or (head[0] == "#" and out) or _CONTINUES.match(head)
        if out and (inside or glued):
            out[-1] += lines[first:last]
        else:
            out.append(lines[first:last])
        if head.strip() and not head.startswith("#"):
            glued = head.startswith("@")
    return ["\n".join(chunk) for chunk in out]


def _logical_lines(text: str, lines: list[str]) -> list[tuple[int, int]]:
    """(first line, line after the last) of every logical line; open brackets end where a new statement begins."""
    spans: list[tuple[int, int]] = []
    position = begin = line = depth = 0
    while position < len(text):
        match = _TOKEN.search(text, position)
        if match is None:
            break
        position = match.end()
        kind = match.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "triple" and (len(match[0]) < 6 or match[0][-3:] != match[0][:3]):
            position = match.start() + 3  # never closed: the quotes are an error of their own line
        elif kind in ("triple", "string", "joined"):
            line += match[0].count("\n")
        elif kind == "line":
            line += 1
            if depth == 0 or _NEVER_INSIDE_BRACKETS.match(lines[line]):
                spans.append((begin, line))
                begin, depth = line, 0
    if begin < len(lines):
        spans.append((begin, len(lines)))
    return spans
