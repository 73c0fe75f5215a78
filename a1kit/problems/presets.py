"""How the rows of published data sets, and of your own files, become questions.

A `Preset` names the columns it needs and builds a `Question` from a `Row`. A row that is at fault raises
`QuestionError`; a row that is fine but of no use to the game (a program that reads standard input, a test of several
functions) raises `NotForUs`, and is counted and left out whatever `on_error` says.

    plain       prompt, reference; optional id, entry_point, golden, check: your own files. Other columns go to `meta`
    kodcode     question, solution, test (pytest functions), test_info or the function that the tests import
    humaneval   task_id, prompt, entry_point, canonical_solution, test; also the Hub's evalplus/humanevalplus
    mbpp        task_id, text or prompt, code, test_list (+ test_setup_code, test_imports, test); also evalplus/mbppplus
    evalplus    problem, GT_code, test, extra_info: HumanEval+ and MBPP+ as the Code-A1 authors publish them
    humaneval+, mbpp+   the rows of one of the two
    unleakedtestbench   func_name, code, prompt, task_id, test_list: functions to write tests for
    bigcodebench  task_id, complete_prompt, canonical_solution, test (a unittest.TestCase), entry_point, libs
    apps, taco  question, solutions, input_output (JSON with fn_name), starter_code

`golden` holds assertions where the data set has them or they follow from it. A complete test program is kept in
`meta["check"]`: Python source that, run after a solution in the same namespace, raises unless the solution passes.
Wrappers of HumanEval+ and MBPP+ hold up to 800,000 characters of inputs and results; they are kept as they are and
not taken apart, so the questions of `evalplus` have a check and no golden tests.
"""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from a1kit.errors import InputError, QuestionError
from a1kit.parsing import parse_assertion, parse_tests
from a1kit.problems.tables import Row, unix_lines
from a1kit.problems.validation import defined_names, functions, parsed
from a1kit.types import Question


class NotForUs(Exception):
    """A row without fault that cannot be a question of this game; the text is the reason that is counted."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A format: the columns a table must have, and how a row becomes a question. `id` may need the row's place."""

    name: str
    columns: tuple[str, ...]
    build: Callable[[Row], Question]


def preset(name: str) -> Preset:
    """The format of that name."""
    if name not in PRESETS:
        raise InputError(f"no preset {name!r}; there are: {', '.join(PRESETS)}.")
    return PRESETS[name]


def _plain(row: Row) -> Question:
    reference = row.text("reference")
    entry_point = row.optional_text("entry_point") or _only_function(row, reference)
    meta = {name: value for name, value in row.values.items() if name not in PLAIN_FIELDS and value is not None}
    check = row.optional_text("check")
    return Question(
        id=_identity(row, "id"),
        prompt=row.text("prompt"),
        entry_point=entry_point,
        reference=reference,
        golden=_golden(row, "golden"),
        meta={**meta, **({"check": check} if check else {})},
    )


PLAIN_FIELDS = ("id", "prompt", "entry_point", "reference", "golden", "check")


def _identity(row: Row, column: str) -> str:
    """The value as text; numbers are written out, and a row without id is named after its place."""
    value = row.get(column)
    if value is None or value == "":
        return row.where
    if isinstance(value, bool | float | list | dict):
        raise row.fault(column, f"the id is {type(value).__name__}", "Use a text or a whole number.")
    return str(value)


def _only_function(row: Row, reference: str) -> str:
    names, fault = defined_names(reference)
    if fault:
        raise row.fault("reference", f"it does not compile: {fault}", "Give Python 3 source.")
    public = [name for name in functions(reference) if not name.startswith("_")]
    if len(public) != 1:
        found = ", ".join(names) or "nothing"
        raise row.fault(
            "entry_point", f"it is missing, and the reference defines {found}", "Name the function asked for."
        )
    return public[0]


def _golden(row: Row, column: str) -> tuple[str, ...]:
    """Tests from a list of texts, a JSON list of texts, or Python source with assertions."""
    value = row.get(column)
    if value is None:
        return ()
    if isinstance(value, str):
        text = unix_lines(value)
        loaded = _json_list(text)
        if loaded is None:
            return _assertions(row, column, text)
        value = loaded
    if not isinstance(value, list) or not all(isinstance(test, str) for test in value):
        raise row.fault(
            column, f"the value is {type(value).__name__}, not a list of texts", "Give a list of assertions."
        )
    return tuple(unix_lines(test).strip("\n") for test in value)


def _json_list(text: str) -> list[Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _assertions(row: Row, column: str, source: str) -> tuple[str, ...]:
    """Each top-level assertion of a source, with the statements since the one before."""
    tree, fault = parsed(source)
    if tree is None:
        raise row.fault(column, f"it does not compile: {fault}", "Give assertions, or a JSON list of them.")
    lines, start, tests = source.splitlines(), 0, []
    for statement in tree.body:
        if isinstance(statement, ast.Assert) and statement.end_lineno:
            tests.append("\n".join(lines[start : statement.end_lineno]).strip("\n"))
            start = statement.end_lineno
    return tuple(tests)


def _kodcode(row: Row) -> Question:
    test, solution = row.text("test"), row.text("solution")
    named = _tested_names(row, test)
    if len(named) > 1:
        raise NotForUs("several functions are tested")
    if not named:
        raise row.fault("test", "it imports nothing from solution and test_info names nothing", "Give test_info.")
    return Question(
        id=_identity(row, "question_id"),
        prompt=row.text("question"),
        entry_point=named[0],
        reference=solution,
        golden=_playable(test, named[0]),
        meta=_kept(row, "style", "subset", "gpt_difficulty", "gpt_pass_percentage", "version") | _pytest_check(test),
    )


def _tested_names(row: Row, test: str) -> tuple[str, ...]:
    """Functions named by `test_info` (a list, or JSON of one), else those that the tests import from `solution`."""
    info = row.get("test_info")
    if isinstance(info, str):
        info = _json_list(info)
    if isinstance(info, list):
        names = [entry.get("function_name") for entry in info if isinstance(entry, Mapping)]
        given = tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name))
        if given:
            return given
    tree, fault = parsed(test)
    if tree is None:
        raise row.fault("test", f"it does not compile: {fault}", "Give pytest functions.")
    imported = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "solution"
        for alias in node.names
    ]
    return tuple(dict.fromkeys(imported))


def _pytest_check(test: str) -> dict[str, str]:
    """The check program of plain pytest functions; none when pytest itself has to run them (fixtures, parameters)."""
    tree, _ = parsed(test)
    tests = (
        [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
        if tree
        else []
    )
    if tree is None or not tests or any(node.decorator_list or node.args.args for node in tests):
        return {}
    hidden = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "solution"
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = ["" if number in hidden else line for number, line in enumerate(test.split("\n"), 1)]
    calls = [f"{node.name}()" for node in tests]
    return {"check": "\n".join([*lines, "", *calls, ""])}


def _humaneval(row: Row) -> Question:
    entry_point, stub, test = row.text("entry_point"), row.text("prompt"), row.text("test")
    return Question(
        id=_identity(row, "task_id"),
        prompt=stub,
        entry_point=entry_point,
        reference=_completed(stub, row.text("canonical_solution"), entry_point),
        golden=_check_assertions(test, entry_point),
        meta={"check": f"{test}\n\ncheck({entry_point})\n"},
    )


def _completed(stub: str, solution: str, entry_point: str) -> str:
    """A solution that is whole as it is; one that is the body of a function behind its stub."""
    if entry_point in functions(solution):
        return solution
    return f"{stub}{solution}" if stub.endswith("\n") else f"{stub}\n{solution}"


MAX_CHECK = 20_000
"""Longer `check` functions (HumanEval+: inputs and results by the thousand) are not taken apart into assertions."""


def _check_assertions(test: str, entry_point: str) -> tuple[str, ...]:
    """The assertions about the entry point in `def check(candidate)`, without loops over random inputs."""
    tree, _ = parsed(test) if len(test) <= MAX_CHECK else (None, "")
    check = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "check"), None) if tree else None
    if check is None or not check.args.args or not check.body:
        return ()
    indent, lines = check.body[0].col_offset, test.split("\n")
    chance = "random" in test
    kept = [node for node in check.body if isinstance(node, ast.Assert) or not chance]
    inside = [line for node in kept for line in lines[node.lineno - 1 : node.end_lineno]]
    body = "\n".join(line[indent:] if not line[:indent].strip() else line for line in inside)
    try:
        renamed = _renamed(body, check.args.args[0].arg, entry_point)
    except (tokenize.TokenError, SyntaxError):
        return ()
    return _playable(renamed, entry_point)


def _playable(source: str, entry_point: str) -> tuple[str, ...]:
    """The different tests in a source that can be played and are no matter of chance."""
    cases = [case for case in parse_tests(source, entry_point) if case.malformed is None]
    different = {case.key: case.source for case in cases if "random" not in case.source}.values()
    return tuple(source for source in different if parse_assertion(source, entry_point).malformed is None)


def _renamed(source: str, old: str, new: str) -> str:
    """The source with one name in place of another, everything else untouched."""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    lines = source.split("\n")
    for token in reversed(tokens):
        if token.type == tokenize.NAME and token.string == old:
            row, column = token.start[0] - 1, token.start[1]
            lines[row] = lines[row][:column] + new + lines[row][column + len(old) :]
    return "\n".join(lines)


def _mbpp(row: Row) -> Question:
    code, tests = row.text("code"), row.get("test_list")
    if not isinstance(tests, list) or not tests or not all(isinstance(test, str) for test in tests):
        raise row.fault(
            "test_list", f"the value is {type(tests).__name__}, not a list of texts", "Give the assertions."
        )
    setup = _setup(row)
    golden = tuple(f"{setup}{unix_lines(test).strip()}" for test in tests)
    program = row.optional_text("test") or "\n".join(golden) + "\n"
    return Question(
        id=_mbpp_id(row),
        prompt=row.text("prompt" if row.get("prompt") is not None else "text"),
        entry_point=_called(row, code, golden),
        reference=code,
        golden=golden,
        meta={"check": program},
    )


def _mbpp_id(row: Row) -> str:
    identity = _identity(row, "task_id")
    return f"MBPP/{identity}" if identity.isdigit() else identity


def _setup(row: Row) -> str:
    imports = row.get("test_imports")
    lines = [line for line in imports if isinstance(line, str)] if isinstance(imports, list) else []
    setup = row.optional_text("test_setup_code")
    return "".join(f"{line.strip()}\n" for line in [*lines, setup or ""] if line.strip())


def _called(row: Row, code: str, tests: Sequence[str]) -> str:
    """The function of `code` that the tests call."""
    defined = functions(code)
    for test in tests:
        tree, _ = parsed(test)
        called = (
            {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
            if tree
            else set()
        )
        for name in defined:
            if name in called:
                return name
    found = ", ".join(defined) or "no function"
    raise row.fault("test_list", f"the tests call nothing of the code, which defines {found}", "Correct code or tests.")


def _evalplus(row: Row) -> Question:
    info = row.get("extra_info")
    if not isinstance(info, Mapping) or not isinstance(info.get("function_name"), str):
        raise row.fault("extra_info", "it has no function_name", "This is not the format of the preset 'evalplus'.")
    entry_point, stub = info["function_name"], row.text("problem")
    return Question(
        id=str(info.get("question_id") or row.where),
        prompt=stub,
        entry_point=entry_point,
        reference=_completed(stub, row.text("GT_code"), entry_point),
        meta={"check": f"{row.text('test')}\n\ncheck({entry_point})\n"}
        | _kept(row, "data_source", "description", "prompt"),
    )


def _only(source: str) -> Callable[[Row], Question]:
    def build(row: Row) -> Question:
        if row.get("data_source") != source:
            raise NotForUs(f"of another benchmark ({row.get('data_source')})")
        return _evalplus(row)

    return build


def _unleaked(row: Row) -> Question:
    tests = row.get("test_list")
    if not isinstance(tests, list) or not all(isinstance(test, str) for test in tests):
        raise row.fault("test_list", f"the value is {type(tests).__name__}, not a list of texts", "Give assertions.")
    shown = tuple(unix_lines(test).strip() for test in tests)
    return Question(
        id=_identity(row, "task_id"),
        prompt=row.text("prompt"),
        entry_point=row.text("func_name"),
        reference=row.text("code"),
        meta={"test_list": shown},  # some of them fail, so they are no golden tests
    )


def _bigcodebench(row: Row) -> Question:
    """Its tests are a `unittest.TestCase`; `meta["libs"]` holds the packages that program and tests import."""
    entry_point, stub, test = row.text("entry_point"), row.text("complete_prompt"), row.text("test")
    return Question(
        id=_identity(row, "task_id"),
        prompt=stub,
        entry_point=entry_point,
        reference=_completed(stub, row.text("canonical_solution"), entry_point),
        meta={"check": f"{test}\n\n{_RUN_TEST_CASES}", "libs": _libs(row)},
    )


_RUN_TEST_CASES = """import unittest

_told = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(TestCases).run(_told)
assert _told.testsRun and _told.wasSuccessful(), (_told.failures or _told.errors or [("", "no test ran")])[0][1]
"""


def _libs(row: Row) -> tuple[str, ...]:
    """Names of packages: a list, or Python or JSON source of one. The names before the first dot are kept."""
    value = row.get("libs")
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError):
            raise row.fault("libs", f"{value[:40]!r} is no list of names", "Give a list of package names.") from None
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise row.fault("libs", f"the value is {type(value).__name__}", "Give a list of package names.")
    return tuple(dict.fromkeys(name.partition(".")[0] for name in value if name))


def _apps(row: Row) -> Question:
    cases = _json_value(row, "input_output")
    if not isinstance(cases, Mapping):
        raise NotForUs("no tests")
    entry_point = cases.get("fn_name")
    if not entry_point:
        raise NotForUs("reads standard input")
    if not isinstance(entry_point, str):
        raise row.fault("input_output", f"fn_name is {type(entry_point).__name__}", "Give the function's name.")
    return Question(
        id=_identity(row, "problem_id" if row.get("problem_id") is not None else "name"),
        prompt=_with_starter(row),
        entry_point=entry_point,
        reference=_first_solution(row, entry_point),
        golden=_call_tests(row, entry_point, cases),
        meta=_kept(row, "difficulty", "url", "source"),
    )


def _with_starter(row: Row) -> str:
    question, starter = row.text("question"), row.optional_text("starter_code")
    return f"{question.rstrip()}\n\n{starter}" if starter and starter.strip() else question


def _json_value(row: Row, column: str) -> Any:
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        return value or None
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise row.fault(column, f"not JSON ({str(error)[:80]})", "Repair it or leave the row out.") from error


def _first_solution(row: Row, entry_point: str) -> str:
    """The first solution in Python 3 that defines the entry point. `class Solution` gets a function beside it."""
    solutions = _json_value(row, "solutions")
    for solution in solutions if isinstance(solutions, list) else []:
        if isinstance(solution, str):
            source = unix_lines(solution)
            names, _ = defined_names(source)
            if entry_point in functions(source):
                return source
            if entry_point in names and "Solution" in names:
                return f"{source.rstrip()}\n\n\ndef {entry_point}(*args):\n    return Solution().{entry_point}(*args)\n"
    raise NotForUs("no solution that defines the function")


def _call_tests(row: Row, entry_point: str, cases: Mapping[str, Any]) -> tuple[str, ...]:
    """`assert f(*inputs) == output`. An output in a list of one may be wrapped or not: the data sets' own rule."""
    inputs, outputs = cases.get("inputs"), cases.get("outputs")
    if not isinstance(inputs, list) or not isinstance(outputs, list) or len(inputs) != len(outputs):
        raise row.fault("input_output", "inputs and outputs are not two lists of the same length", "Leave the row out.")
    tests = []
    for arguments, output in zip(inputs, outputs, strict=True):
        if not isinstance(arguments, list):
            raise row.fault("input_output", "the inputs of a test are not a list of arguments", "Leave the row out.")
        call = f"{entry_point}({', '.join(map(repr, arguments))})"
        wrapped = isinstance(output, list) and len(output) == 1
        tests.append(f"assert {call} in ({output!r}, {output[0]!r})" if wrapped else f"assert {call} == {output!r}")
    return tuple(tests)


def _kept(row: Row, *columns: str) -> dict[str, Any]:
    return {column: row.get(column) for column in columns if row.get(column) is not None}


PRESETS = {
    made.name: made
    for made in (
        Preset("plain", ("prompt", "reference"), _plain),
        Preset("kodcode", ("question", "solution", "test"), _kodcode),
        Preset("humaneval", ("task_id", "prompt", "entry_point", "canonical_solution", "test"), _humaneval),
        Preset("mbpp", ("task_id", "code", "test_list"), _mbpp),
        Preset("evalplus", ("problem", "GT_code", "test", "extra_info"), _evalplus),
        Preset("humaneval+", ("problem", "GT_code", "test", "extra_info", "data_source"), _only("humanevalplus")),
        Preset("mbpp+", ("problem", "GT_code", "test", "extra_info", "data_source"), _only("mbppplus")),
        Preset("unleakedtestbench", ("func_name", "code", "prompt", "task_id", "test_list"), _unleaked),
        Preset(
            "bigcodebench", ("task_id", "complete_prompt", "canonical_solution", "test", "entry_point"), _bigcodebench
        ),
        Preset("apps", ("question", "solutions", "input_output"), _apps),
        Preset("taco", ("question", "solutions", "input_output"), _apps),
    )
}
"""Name → format."""

__all__ = ["PRESETS", "NotForUs", "Preset", "QuestionError", "preset"]
