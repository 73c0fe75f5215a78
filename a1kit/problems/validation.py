"""What can be known about a question without running anything.

    check_question(question)                 raises QuestionError: where, field, reason, remedy
    check_question(question, "a.csv, line 7")

Checked are: every field has its type; id and prompt are not blank and can be written as UTF-8; the entry point is a
name; the reference is valid Python that defines it at the top level (or as a method of `class Solution`); every
golden test is one assertion about it that the judge can play. Whether the reference passes them is for the judge.
"""

from __future__ import annotations

import ast
import keyword
import warnings
from collections.abc import Mapping

from a1kit.errors import QuestionError
from a1kit.parsing import given_names, parse_assertion
from a1kit.parsing.source import module_tree
from a1kit.types import Question


def check_question(question: Question, where: str = "") -> None:
    """Raise the `QuestionError` of the first fault; `where` defaults to the question's id."""
    place = where or f"question {question.id!r}"
    _check_types(question, place)
    for field in ("id", "prompt", "reference"):
        _check_text(field, getattr(question, field), place)
    if not question.entry_point.isidentifier() or keyword.iskeyword(question.entry_point):
        reason = f"{question.entry_point!r} is not the name of a function"
        raise QuestionError.at(place, "entry_point", reason, "Give the name alone, without parentheses or arguments.")
    _check_reference(question, place)
    known = given_names(question.prompt, question.reference, question.entry_point)
    for number, golden in enumerate(question.golden, 1):
        fault = parse_assertion(golden, question.entry_point, known=known).malformed
        if fault is not None:
            reason = f"a test cannot be played: number {number}, {_short(golden)!r}: {fault}"
            raise QuestionError.at(place, "golden", reason, "Write one assertion that calls the entry point.")


def _check_types(question: Question, place: str) -> None:
    for field in ("id", "prompt", "entry_point", "reference"):
        _check_type(field, getattr(question, field), str, "text", place)
    _check_type("golden", question.golden, tuple, "a tuple of texts", place)
    for golden in question.golden:
        _check_type("golden", golden, str, "a tuple of texts", place)
    _check_type("meta", question.meta, Mapping, "a mapping", place)


def _check_type(field: str, value: object, kind: type, name: str, place: str) -> None:
    if not isinstance(value, kind):
        reason = f"the value is {type(value).__name__} ({_short(repr(value))}), not {name}"
        raise QuestionError.at(place, field, reason, f"Give {name}.")


def _check_text(field: str, text: str, place: str) -> None:
    if not text.strip():
        raise QuestionError.at(place, field, "the value is blank", "Fill it in.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        reason = f"character {error.start} is half of a surrogate pair ({text[error.start]!r})"
        raise QuestionError.at(place, field, reason, "Repair the text's encoding.") from error


def _check_reference(question: Question, place: str) -> None:
    names, fault = defined_names(question.reference)
    if fault:
        raise QuestionError.at(place, "reference", f"it does not compile: {fault}", "Give Python 3 source.")
    if question.entry_point not in names:
        found = ", ".join(name for name in names if not name.startswith("Solution.")) or "nothing"
        reason = f"it does not define {question.entry_point!r}; it defines {found}"
        raise QuestionError.at(place, "reference", reason, "Correct the entry point or the reference.")


def defined_names(source: str) -> tuple[tuple[str, ...], str]:
    """(names bound at the top level in order, and methods of `class Solution`; why it does not compile, or "")."""
    tree, fault = parsed(source)
    if tree is None:
        return (), fault
    names: dict[str, None] = {}
    for statement in tree.body:
        names.update(dict.fromkeys(_bound(statement)))
        if isinstance(statement, ast.ClassDef) and statement.name == "Solution":
            names.update(dict.fromkeys(member.name for member in statement.body if isinstance(member, ast.FunctionDef)))
    return tuple(names), ""


def functions(source: str) -> tuple[str, ...]:
    """Names of the functions defined at the top level, in order; none when the source does not compile."""
    tree, _ = parsed(source)
    body = tree.body if tree is not None else []
    return tuple(dict.fromkeys(node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)))


def parsed(source: str) -> tuple[ast.Module | None, str]:
    """(the tree, "") or (None, why it does not compile), without warnings about the source's escapes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = module_tree(source)
            compile(source, "<reference>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return None, f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return None, str(error) or type(error).__name__
    return tree, ""


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in statement.names]
    inner = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    if isinstance(statement, ast.If | ast.Try):
        inner += [node.name for node in ast.walk(statement) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return inner


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
