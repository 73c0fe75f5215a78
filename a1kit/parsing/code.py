"""From a completion of the Code LLM to the program that is run.

    parse_code("Sure!\\n```python\\ndef add(a, b):\\n    return a + b\\n```", "add").code

The rules, in order:

1. Text that is a program as it stands, and defines the entry point, is that program.
2. Thinking and chat tokens go; fences are split off (`a1kit.parsing.blocks`).
3. The *last* block that defines the entry point is the answer. A closed fence is taken whole: if it holds a syntax
error,
   the answer holds a syntax error. Text without a fence, or after a fence that never closes, is searched for the
   longest stretches of statements that compile.
4. Blocks that only import, and blocks that define names the answer needs, are joined in front of it.
5. A method of `class Solution` is exposed as a function; the body of `if __name__ == "__main__":` is taken out;
   well-known imports that were forgotten are added. Each leaves a flag.

A function under another name is never renamed: the program is returned as it is, and loading it will say that the entry
point is missing. Nothing is executed here, and flags are observations, not verdicts: rewards never depend on them.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from a1kit.parsing import names
from a1kit.parsing.blocks import Block, dedent, split_blocks, without_chat_tokens, without_thinking
from a1kit.parsing.source import MAX_SOURCE, MAX_TEXT, Unparsable, bounded, chunks, clean, parse, plain_spaces, walk

FLAGS: dict[str, str] = {
    "think": "the answer came after thinking, which was dropped",
    "unfenced": "the code stood in the text without a fence",
    "unclosed-fence": "the fence around the answer never closed",
    "trimmed": "text that is not Python was cut off around the code",
    "joined": "several blocks were joined into one program",
    "spaces": "spaces that Python does not know (no-break, zero-width) were replaced",
    "tabs": "tabs were replaced by spaces because indentation mixed both",
    "solution-class": "the entry point is a method of class Solution, exposed as a function",
    "main-guard": 'the body of if __name__ == "__main__" was taken out',
    "prelude": "imports of well-known names were added",
    "entry-missing": "nothing in the program defines the entry point",
    "syntax": "the program does not compile",
    "prints-markers": "loading the program prints words that look like a verdict",
    "exits": "loading the program ends the process",
    "introspection": "the program looks into the interpreter (frames, gc, ctypes, builtins, module table)",
    "overrides-comparison": "a class defines how it compares, hashes or prints itself",
    "constant-answer": "the entry point returns a constant whatever it is given",
    "swallows-exceptions": "an except clause catches everything and goes on",
}
"""Everything `ParsedCode.flags` can hold, and what it means."""

_PROMPT = re.compile(r"\s*>>> ")
_MARKER = re.compile(r"(?i)pass|fail|success|\bok\b|correct|accepted|score|reward|verdict|result|all tests|\berror\b")
_PRINTERS = frozenset(("print", "write", "writelines"))
_EXITS = frozenset(("exit", "quit", "_exit", "abort", "kill"))
_INSPECTORS = names.words("ctypes gc inspect builtins importlib atexit faulthandler _testcapi pdb bdb")
_INSPECTED = names.words(
    "_getframe settrace setprofile modules currentframe f_back f_locals f_globals __subclasses__ __builtins__ "
    "addaudithook get_objects get_referrers"
)
_COMPARISONS = names.words("__eq__ __ne__ __hash__ __repr__ __instancecheck__ __class__ __bool__ __lt__")


@dataclass(frozen=True, slots=True)
class ParsedCode:
    """The program of a completion.

    code       the program to run; "" when there is none
    flags      what was noticed, keys of `FLAGS`, sorted
    reason     why there is no usable code (a sentence); None when there is code, even code that will not compile
    fragments  the pieces of the completion that `code` was made of, in order, before prelude and other changes
    """

    code: str
    flags: tuple[str, ...] = ()
    reason: str | None = None
    fragments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block of code with its tree (None if it does not compile)."""

    text: str
    tree: ast.Module | None
    flags: frozenset[str] = frozenset()


def parse_code(text: str, entry_point: str) -> ParsedCode:
    """Find the program in `text` that should define `entry_point`. Never raises for any text.

    The result's `code` may still fail to compile or lack the entry point; running it will say so.
    """
    if len(text) > MAX_TEXT:
        return ParsedCode("", reason=f"the text is too large: {len(text):,} characters, at most {MAX_TEXT:,} are read")
    if not text.strip("\ufeff \t\r\n"):
        return ParsedCode("", reason="the text is empty")
    try:
        with bounded():
            return _parse(clean(text), entry_point)
    except Unparsable as error:
        return ParsedCode("", reason=f"the code is {error}" if str(error).startswith("nested") else str(error))


def _parse(text: str, entry_point: str) -> ParsedCode:
    whole = _compiled(text)
    if whole.tree is not None and _defines(whole.tree, entry_point) and not text.lstrip().startswith("~~~"):
        return _finished([whole], entry_point, {"unfenced"} | whole.flags)
    answer = without_thinking(text)
    flags = {"think"} if answer.thought else set()
    pieces = [
        piece for block in split_blocks(without_chat_tokens(answer.text)) for piece in _pieces(block, entry_point)
    ]
    chosen = _choose(pieces, entry_point)
    bare = answer.text.strip()
    if chosen is None and bare.count("`") == 2 and bare[0] == bare[-1] == "`":
        inline = _compiled(bare.strip("`"))
        chosen = [inline] if _defines(inline.tree, entry_point) else None
        flags.add("unfenced")
    if chosen is None:
        if answer.unfinished:
            return ParsedCode("", tuple(sorted(flags)), "the text ends inside its thinking, before any answer")
        return ParsedCode("", tuple(sorted(flags)), "the text holds no Python code")
    if len(chosen) > 1:
        flags.add("joined")
    return _finished(chosen, entry_point, flags.union(*(piece.flags for piece in chosen)))


def _compiled(text: str) -> _Piece:
    """`text` with its tree, after removing shared indentation and, if that is what is wrong, tabs."""
    try:
        return _Piece(text, parse(text))
    except Unparsable:
        pass
    flush = dedent(text)
    if flush is not text:
        try:
            return _Piece(flush, parse(flush))
        except Unparsable:
            pass
    spaced = plain_spaces(flush)
    if spaced != flush:
        try:
            return _Piece(spaced, parse(spaced), frozenset(("spaces",)))
        except Unparsable:
            pass
    if _PROMPT.match(flush):
        typed = "\n".join(line[4:] for line in flush.split("\n") if line.startswith((">>> ", "... ")))
        try:
            return _Piece(typed, parse(typed), frozenset(("trimmed",)))
        except Unparsable:
            pass
    if "\t" in flush:
        for size in (4, 8):
            spaces = "\n".join(_spaced(line, size) for line in flush.split("\n"))
            try:
                return _Piece(spaces, parse(spaces), frozenset(("tabs",)))
            except Unparsable:
                continue
    return _Piece(flush, None)


def _spaced(line: str, size: int) -> str:
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return indent.expandtabs(size) + line[len(indent) :]


def _pieces(block: Block, entry_point: str) -> list[_Piece]:
    """The candidates for code in one block: a closed fence whole, anything else in the stretches that compile."""
    if block.fenced and not block.python and not _mentions_definition(block.text, entry_point):
        return []
    if block.fenced and not block.text.strip():
        return []
    whole = _compiled(block.text)
    noted = whole.flags | (frozenset() if block.fenced else {"unfenced"})
    if block.fenced and not block.closed:
        noted |= {"unclosed-fence"}
    if whole.tree is not None:
        return [replace(whole, flags=noted)] if block.fenced or _is_code(whole.tree.body) else []
    stretches = [] if block.fenced and block.closed else _stretches(whole.text)
    if stretches and (not block.fenced or any(_defines(piece.tree, entry_point) for piece in stretches)):
        if _mentions_definition(block.text, entry_point) and not any(_defines(p.tree, entry_point) for p in stretches):
            return [_Piece(_from_definition(whole.text, entry_point), None, noted)]
        return [replace(piece, flags=noted | piece.flags) for piece in stretches]
    if block.fenced:
        return [_Piece(whole.text, None, noted)]
    if _mentions_definition(block.text, entry_point):
        return [_Piece(_from_definition(whole.text, entry_point), None, noted)]
    return []


def _stretches(text: str) -> list[_Piece]:
    """The longest runs of statements of a text that compile. Words that happen to compile (`Sorry`) are prose."""
    runs: list[list[str]] = [[]]
    for chunk in chunks(text):
        if not chunk.strip() or all(line.lstrip().startswith("#") or not line.strip() for line in chunk.split("\n")):
            if runs[-1]:
                runs[-1].append(chunk)
            continue
        piece = _compiled(chunk)
        if piece.tree is not None and piece.tree.body and not _is_prose(piece.tree.body):
            runs[-1].append(piece.text)
            continue
        runs.append([])
        head, _, rest = chunk.partition("\n")
        if rest.strip() and not _DEFINITION.match(head):
            inner = _compiled(rest)
            if inner.tree is not None and _is_code(inner.tree.body):
                runs += [[inner.text], []]
    found: list[_Piece] = []
    for run in runs:
        joined = _compiled("\n".join(run))
        if joined.tree is not None and _is_code(joined.tree.body):
            found.append(replace(joined, flags=joined.flags | {"trimmed"}))
    return found


_DEFINITION = re.compile(r"(?:async def|def|class|if|for|while|with|try|@)\b")


def _is_prose(body: list[ast.stmt]) -> bool:
    """Statements such as `Sorry`, `1` or `a, b` that say nothing as code. Docstrings and calls are code."""
    return all(
        isinstance(node, ast.Expr)
        and not isinstance(node.value, ast.Call | ast.Await)
        and not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str))
        for node in body
    ) or all(isinstance(node, ast.AnnAssign) and node.value is None for node in body)


def _is_code(body: list[ast.stmt]) -> bool:
    """Whether statements define or bind anything."""
    return any(
        isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assign
        )
        for node in body
    )


def _defines(tree: ast.Module | None, entry_point: str) -> bool:
    """Whether a program binds `entry_point` at its top level, or has it as a method of `class Solution`."""
    if tree is None:
        return False
    return entry_point in names.binds(*tree.body) or _solution(tree, entry_point)


def _solution(tree: ast.Module, entry_point: str) -> bool:
    return any(
        isinstance(node, ast.ClassDef)
        and node.name == "Solution"
        and any(isinstance(member, ast.FunctionDef) and member.name == entry_point for member in node.body)
        for node in tree.body
    )


def _mentions_definition(text: str, entry_point: str) -> bool:
    return (
        re.search(rf"^[ \t]*(?:async +)?def +{re.escape(entry_point)}\b|^{re.escape(entry_point)} *=", text, re.M)
        is not None
    )


def _from_definition(text: str, entry_point: str) -> str:
    """Broken text from the first line that looks like code on, so that the syntax error is the author's, not prose."""
    start = re.search(rf"^(?:import |from \w|@|class |def |async def |{re.escape(entry_point)} *=)", text, re.M)
    return text[start.start() :] if start else text


def _choose(pieces: list[_Piece], entry_point: str) -> list[_Piece] | None:
    """The last piece that defines the entry point, with the pieces it needs in front; None when nothing is code."""
    main: int | None = None
    for index, piece in enumerate(pieces):
        if _defines(piece.tree, entry_point) or (piece.tree is None and _mentions_definition(piece.text, entry_point)):
            main = index
    if main is None:
        defining = [i for i, piece in enumerate(pieces) if piece.tree is not None and _is_code(piece.tree.body)]
        broken = [i for i, piece in enumerate(pieces) if piece.tree is None and piece.text.strip()]
        if not defining and not broken:
            return None
        main = (defining or broken)[-1]
    return [pieces[index] for index in sorted(_needed(pieces, main))]


def _needed(pieces: list[_Piece], main: int) -> set[int]:
    """Indices of the pieces to join: the answer, import-only blocks, and what defines names still unbound (latest
    wins)."""
    chosen = {main}
    tree = pieces[main].tree
    if tree is None:
        return chosen
    for index, piece in enumerate(pieces):
        if piece.tree is not None and piece.tree.body and _only_imports(piece.tree.body):
            chosen.add(index)
    while True:
        bodies = [node for index in sorted(chosen) for node in _body(pieces[index])]
        missing = names.unbound(ast.Module(bodies, []))
        helper = next(
            (
                i
                for i in reversed(range(len(pieces)))
                if i not in chosen and i < main and missing & names.binds(*_body(pieces[i]))
            ),
            None,
        )
        if helper is None:
            helper = next(
                (
                    i
                    for i in reversed(range(main + 1, len(pieces)))
                    if i not in chosen and missing & names.binds(*_body(pieces[i]))
                ),
                None,
            )
        if helper is None:
            return chosen
        chosen.add(helper)


def _body(piece: _Piece) -> list[ast.stmt]:
    return [] if piece.tree is None else piece.tree.body


def _only_imports(body: list[ast.stmt]) -> bool:
    return all(isinstance(node, ast.Import | ast.ImportFrom) for node in body)


def _finished(pieces: list[_Piece], entry_point: str, flags: set[str] | frozenset[str]) -> ParsedCode:
    """Join the pieces and apply what a program needs to be loaded as a module."""
    noted = set(flags)
    fragments = tuple(piece.text.strip("\n") for piece in pieces)
    code = _joined(fragments)
    try:
        tree = parse(code)
    except Unparsable:
        if len(code) > MAX_SOURCE:
            return ParsedCode("", tuple(sorted(noted)), f"the code is too large: {len(code):,} characters", fragments)
        return ParsedCode(code + "\n", tuple(sorted(noted | {"syntax"})), None, fragments)
    code, tree = _without_main_guard(code, tree, noted)
    additions = _prelude(tree, entry_point)
    if additions:
        noted.add("prelude")
        code = _insert(code, tree, "\n".join(additions))
    if entry_point not in names.binds(*tree.body):
        if _solution(tree, entry_point):
            noted.add("solution-class")
            code += f"\n\n\ndef {entry_point}(*args, **kwargs):\n    return Solution().{entry_point}(*args, **kwargs)"
        else:
            noted.add("entry-missing")
    noted |= _observations(tree, entry_point)
    return ParsedCode(code + "\n", tuple(sorted(noted)), None, fragments)


def _joined(fragments: tuple[str, ...]) -> str:
    """Fragments one after the other; `from __future__` lines of later ones move to the top, where Python wants them."""
    if len(fragments) == 1:
        return fragments[0].rstrip()
    future = re.compile(r"^from __future__ import [^\n(]+\n?", re.M)
    heads = dict.fromkeys(line.strip() for fragment in fragments for line in future.findall(fragment))
    bodies = [future.sub("", fragment).strip("\n") for fragment in fragments] if heads else list(fragments)
    return "\n\n\n".join(part.rstrip() for part in ["\n".join(heads), *bodies] if part.strip())


def _without_main_guard(code: str, tree: ast.Module, noted: set[str]) -> tuple[str, ast.Module]:
    """Take `if __name__ == "__main__":` blocks (without else) out of a program."""
    guards = [node for node in tree.body if isinstance(node, ast.If) and is_main_guard(node.test) and not node.orelse]
    if not guards:
        return code, tree
    noted.add("main-guard")
    lines = code.split("\n")
    for node in reversed(guards):
        del lines[node.lineno - 1 : node.end_lineno]
    shorter = "\n".join(lines).rstrip()
    return shorter, parse(shorter)


def is_main_guard(test: ast.expr) -> bool:
    """Whether an expression is `__name__ == "__main__"`, either way round."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = [test.left, test.comparators[0]]
    return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides) and any(
        isinstance(side, ast.Constant) and side.value == "__main__" for side in sides
    )


def _prelude(tree: ast.Module, entry_point: str) -> list[str]:
    """Imports of the well-known names that a program uses and does not bind. Never of the entry point, which a program
    that lacks it would get for nothing."""
    found = {}
    for name in sorted(names.unbound(tree) - {entry_point}):
        line = names.import_for(name, tree.body)
        if line is not None and "pytest" not in line:
            found[name] = line
    lines = [line for line in found.values() if line != names.PRELUDE["np"]]
    if "np" in found:  # a program that names numpy in passing must still load where numpy is not installed
        lines.append("try:\n    import numpy as np\nexcept ImportError:\n    pass")
    return lines


def _insert(code: str, tree: ast.Module, addition: str) -> str:
    """Put lines at the top of a program, but below a docstring and `from __future__` imports when it has the latter."""
    futures = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    if not futures:
        return f"{addition}\n\n\n{code}"
    lines = code.split("\n")
    after = futures[-1].end_lineno or futures[-1].lineno
    return "\n".join([*lines[:after], addition, *lines[after:]])


def _observations(tree: ast.Module, entry_point: str) -> set[str]:
    """The flags that a watcher for reward hacking counts; cheap signs, not proofs."""
    found: set[str] = set()
    for node in _at_import(tree.body):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in _PRINTERS and any(_has_marker(argument) for argument in node.args):
                found.add("prints-markers")
            if called in _EXITS:
                found.add("exits")
        elif isinstance(node, ast.Raise) and "SystemExit" in names.loads(node):
            found.add("exits")
    for node in walk(tree):
        found |= _signs(node)
    entry = _entry_function(tree, entry_point)
    if entry is not None and _returns_constant(entry):
        found.add("constant-answer")
    return found


def _entry_function(tree: ast.Module, entry_point: str) -> ast.FunctionDef | None:
    """The definition that calls of the entry point reach: the last one, or the method of `class Solution`."""
    bodies = [
        tree.body,
        *(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Solution"),
    ]
    for body in bodies:
        found = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == entry_point]
        if found:
            return found[-1]
    return None


def _signs(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import) and any(alias.name.split(".")[0] in _INSPECTORS for alias in node.names):
        return {"introspection"}
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _INSPECTORS:
        return {"introspection"}
    if isinstance(node, ast.Attribute) and node.attr in _INSPECTED:
        return {"introspection"}
    if isinstance(node, ast.Name) and node.id in ("__builtins__", "__import__"):
        return {"introspection"}
    if isinstance(node, ast.FunctionDef):
        return {"overrides-comparison"} if node.name in _COMPARISONS else set()
    if isinstance(node, ast.ExceptHandler) and _catches_all(node):
        return {"swallows-exceptions"}
    return set()


def _returns_constant(function: ast.FunctionDef) -> bool:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body or isinstance(body[0], ast.Pass):
        return True
    value = body[0].value if isinstance(body[0], ast.Return) else None
    return isinstance(body[0], ast.Return) and (value is None or not (names.loads(value) - names.BUILTINS))


def _catches_all(handler: ast.ExceptHandler) -> bool:
    if any(isinstance(node, ast.Raise) for node in walk(handler)):
        return False
    return handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )


def _has_marker(argument: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and _MARKER.search(str(node.value))
        for node in walk(argument)
    )


def _at_import(body: list[ast.stmt]) -> list[ast.AST]:
    """Nodes that loading a program evaluates: everything outside functions, and the functions that are called there."""
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += node.decorator_list
        elif not isinstance(node, ast.Lambda):
            waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            waiting += functions.pop(node.func.id).body
    return found
