"""Reading what models wrote: one parser for programs, one for tests, both on syntax trees.

`parse_code` finds the program in a completion of the Code LLM; `parse_tests` takes a completion of the Test LLM apart
into `TestCase`s, `parse_assertion` does it for one stored test, and `corrected` writes an oracle's answers back into
one. All are pure functions over text: nothing is executed, no text makes them raise, and what they return depends on
nothing else.
"""

from a1kit.parsing.code import FLAGS, ParsedCode, parse_code
from a1kit.parsing.tests import corrected, given_names, parse_assertion, parse_tests, signature

__all__ = [
    "FLAGS",
    "ParsedCode",
    "corrected",
    "given_names",
    "parse_assertion",
    "parse_code",
    "parse_tests",
    "signature",
]
