"""Text in every script, with emoji, combining marks, quotes and lone surrogates, arrives unharmed."""
# topic: text
# call: scripts()
# call: awkward()
# call: normalised("e\u0301")
# call: reversed_text("añb😀c")
# call: folded("Straße")

import unicodedata


def scripts():
    return ["русский", "日本語", "עברית", "हिन्दी", "😀👩‍💻", "\U0001f1e9\U0001f1ea"]


def awkward():
    return ["\\", "'", '"', "'''\"\"\"", "\n\r\t\0\x1b[31m", "\ud800", "\u2028", "{}", "%s", "</script>", "$x", "\ufeff"]


def normalised(text):
    return unicodedata.normalize("NFC", text), len(text), unicodedata.name("é")


def reversed_text(text):
    return text[::-1]


def folded(text):
    return text.casefold(), text.encode("utf-8"), text.upper()
