"""Any Python string as valid Unicode, and back: what the store's tables hold.

DuckDB, Arrow and Parquet keep text as UTF-8, in which a lone surrogate (`"\\ud800"`) has no encoding, yet a model can
write one and the book must give it back byte for byte. `pack` spells each lone surrogate, and the escape character
itself, as U+FDD0 (a noncharacter, so real text never has it) followed by four hex digits; `unpack` undoes it. All other
text is stored as it is.
"""

from __future__ import annotations

import re

ESCAPE = "\ufdd0"
_UNSAFE = re.compile(f"[\ud800-\udfff{ESCAPE}]")
_ESCAPED = re.compile(f"{ESCAPE}([0-9a-f]{{4}})")


def pack(text: str) -> str:
    """The text with lone surrogates spelt out; always encodable as UTF-8."""
    if text.isascii():
        return text
    return _UNSAFE.sub(lambda match: f"{ESCAPE}{ord(match.group()):04x}", text)


def unpack(text: str) -> str:
    """The inverse of `pack`."""
    if ESCAPE not in text:
        return text
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text)
