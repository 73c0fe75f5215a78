"""Reading what models wrote: one parser for programs, one for tests, both on syntax trees."""

from a1kit.parsing.code import FLAGS, ParsedCode, parse_code

__all__ = ["FLAGS", "ParsedCode", "parse_code"]
