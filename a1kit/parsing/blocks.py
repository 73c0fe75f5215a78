"""Where the code is in what a model wrote: thinking, fences, chat tokens and prose taken away.

A fence opens with three or more backticks or tildes and closes with at least as many of the same kind. Lines that look
like a fence but stand inside a triple-quoted string (a docstring with an example in it) are text, which is why the
scanner keeps track of strings. It is not a Markdown parser: it forgives what models do (a fence that never closes, a
closer without an opener, fences inside list items and block quotes, code on the fence's own line).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENER = re.compile(r"^(?P<indent>[ \t]*(?:>[ \t]?)*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
_ONE_LINE = re.compile(
    r"^[ \t]*(?P<fence>`{3,})[ \t]*(?:(?:python3?|py)[ \t]+)?(?P<code>[^`]+?)[ \t]*(?P=fence)[ \t]*$", re.I
)
_THINKING = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_CHAT_TOKEN = re.compile(
    r"(?:<\|[a-zA-Z_]+\|>|<｜[^｜\n]{1,40}｜>|</s>|</?answer>)\s*$|^\s*(?:</?answer>|<\|[a-zA-Z_]+\|>|<s>)", re.M
)
_END = re.compile(r"(?<!['\"])(?:<\|endoftext\|>|<\|im_end\|>|<\|eot_id\|>|<｜end▁of▁sentence｜>)(?!['\"])")
_ON_OPENER = re.compile(r"^(?:\w+[ \t]+)??(?P<code>(?:(?:async def|def|class|import|from|assert)[ \t(]|@\w).*)$")
_STRING = re.compile(r"#[^\n]*|'''|\"\"\"|'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?")

PYTHON = frozenset(
    ("", "python", "py", "python3", "py3", "python2", "ipython", "ipython3", "pycon", "python-repl", "code")
)
"""Names of a fence, in lower case, that may hold Python."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a completion: the code of a fence, or the text between fences.

    `language` is the fence's word in lower case ("" for none), `fenced` is False for text outside fences, and `closed`
    tells whether the fence was closed.
    """

    text: str
    language: str = ""
    fenced: bool = False
    closed: bool = True

    @property
    def python(self) -> bool:
        return self.language in PYTHON


@dataclass(frozen=True, slots=True)
class Answer:
    """The text after its thinking. `unfinished` when the text ended inside the thinking, so that there is no answer."""

    text: str
    thought: bool = False
    unfinished: bool = False


def without_thinking(text: str) -> Answer:
    """Drop `<think>…</think>`; a closing tag alone (the prompt opened it) counts, an opening one alone leaves no
    answer."""
    closings = list(_THOUGHT.finditer(text))
    if closings:
        return Answer(text[closings[-1].end() :], thought=True)
    opening = _THINKING.search(text)
    if opening is not None:
        return Answer(text[: opening.start()], thought=True, unfinished=True)
    return Answer(text)


def without_chat_tokens(text: str) -> str:
    """Drop `<|im_end|>`, `</s>`, `<answer>` and their kind at the ends of lines, and what was written after the end of
    the answer (`<|endoftext|>`, unless it stands in quotes)."""
    if "<" not in text:
        return text
    for end in _END.finditer(text):
        if text[: end.start()].strip():
            text = text[: end.start()]
            break
    return _CHAT_TOKEN.sub("", text)


def split_blocks(text: str) -> list[Block]:
    """The fences of a text and the stretches between them, in order; empty stretches are left out."""
    lines = text.split("\n")
    blocks: list[Block] = []
    outside: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        single = _ONE_LINE.match(line)
        opener = _OPENER.match(line)
        if single is not None:
            _flush(outside, blocks)
            blocks.append(Block(single["code"], fenced=True))
        elif opener is not None:
            _flush(outside, blocks)
            end, glued = _closer(lines, position + 1, opener["fence"])
            info = opener["info"].strip()
            inside = lines[position + 1 : end]
            first = _ON_OPENER.match(info)
            if first is not None:  # the code begins on the line of the fence
                info, inside = info[: first.start("code")], [opener["indent"] + first["code"], *inside]
            if glued:  # and ends on that of its closer
                inside.append(lines[end].rstrip().rstrip(opener["fence"][0]))
            body = _dedented(inside, opener["indent"])
            if _OPENER.match(body.lstrip("\n").partition("\n")[0]) and end < len(lines):  # fences inside a fence
                blocks += split_blocks(body)
            else:
                blocks.append(Block(body, _language(info), fenced=True, closed=end < len(lines)))
            position = end
        else:
            outside.append(line)
        position += 1
    _flush(outside, blocks)
    return blocks


def _language(info: str) -> str:
    return re.split(r"[\s{:,]", info.lstrip("{. "), maxsplit=1)[0].rstrip("}").lower()


def _flush(outside: list[str], blocks: list[Block]) -> None:
    text = "\n".join(outside)
    if text.strip():
        blocks.append(Block(text))
    outside.clear()


def _closer(lines: list[str], start: int, fence: str) -> tuple[int, bool]:
    """Index of the line that closes a fence, or `len(lines)`; and whether code stands in front of the closer. Fence
    lines inside triple quotes do not count, unless the quotes never end."""
    closing = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    first: int | None = None
    quote = ""
    for index in range(start, len(lines)):
        if closing.match(lines[index]):
            if not quote:
                return index, False
            first = index if first is None else first
        quote = _open_quote(lines[index], quote)
        code, _, after = lines[index].rstrip().partition(fence)
        if not quote and fence[0] == "`" and fence in lines[index] and not after and "#" not in code:
            return index, True
    if quote and first is not None:
        return first, False
    return len(lines), False


def _open_quote(line: str, quote: str) -> str:
    """Which triple quote is open after `line`, given which one was open before it."""
    position = 0
    while True:
        if quote:
            end = _closing_quote(line, position, quote)
            if end < 0:
                return quote
            quote, position = "", end
        match = _STRING.search(line, position)
        if match is None:
            return ""
        position = match.end()
        if match[0] in ("'''", '"""'):
            quote = match[0]


def _closing_quote(line: str, position: int, quote: str) -> int:
    """Index after the closing triple quote, or -1; a backslash hides the character behind it."""
    while True:
        found = line.find(quote, position)
        if found < 0:
            return -1
        slashes = found - len(line[:found].rstrip("\\"))
        if slashes % 2 == 0:
            return found + 3
        position = found + 1


def _dedented(lines: list[str], indent: str) -> str:
    """Remove the fence's own indentation (or quote marks) from its lines, and what all of them still share."""
    if ">" in indent:
        lines = [re.sub(r"^[ \t]*(?:>[ \t]?)+", "", line) for line in lines]
    return dedent("\n".join(lines))


def dedent(text: str) -> str:
    """Remove the indentation that all lines of code share; text inside triple quotes may stand further left."""
    lines = text.split("\n")
    margin: str | None = None
    quote = ""
    for line in lines:
        if not quote and line.strip() and not line.lstrip().startswith("#"):
            indent = line[: len(line) - len(line.lstrip(" \t"))]
            margin = indent if margin is None else _shared(margin, indent)
        quote = _open_quote(line, quote)
        if margin == "":
            return text
    if not margin:
        return text
    return "\n".join(line[len(margin) :] if line.startswith(margin) else line.lstrip(" \t") for line in lines)


def _shared(left: str, right: str) -> str:
    size = 0
    while size < min(len(left), len(right)) and left[size] == right[size]:
        size += 1
    return left[:size]
