"""From one assertion and the statements before it to a `TestCase`.

    steps:      xs = [3, 1]; want = [1, 3]          assert sorted(f(xs)) == want

    setup       xs = [3, 1]                         sent to the program's child
    calls       f(xs)                               sent to the program's child
    check_setup want = [1, 3]                       stays outside
    check       sorted(_0) == want                  stays outside

The source of the result stands alone and is read back to the same result: everything here is a function of the
assertion's own text and of the steps it needs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from a1kit.parsing import names
from a1kit.parsing.closeness import Pair, closeness, comparer, equality
from a1kit.parsing.normal import Normaliser, constant
from a1kit.parsing.observe import Seen, faithful, observed, prepared, spelled
from a1kit.parsing.setup import Setup, Step
from a1kit.parsing.source import Segments, Unparsable, bounded, expression_tree, module_tree, walk
from a1kit.types import Form, TestCase

_ATOMS = ast.Call | ast.Attribute | ast.Subscript | ast.Name | ast.Constant


@dataclass(frozen=True, slots=True)
class Context:
    """What is asked about: the function under test and, when known, its positional parameters."""

    entry_point: str
    parameters: tuple[str, ...] | None = None
    known: frozenset[str] = frozenset()
    """Names besides the entry point that every program of the question is asked to define."""


def malformed(source: str, reason: str) -> TestCase:
    """A test that is none, with the reason as a sentence."""
    text = source if len(source) <= 2000 else source[:2000] + " …"
    return TestCase(source=text, key=text, malformed=reason)


@dataclass(frozen=True, slots=True)
class Sides:
    """The two halves of a test's set-up, its key, and the text in front of the assertion."""

    setup: str
    check_setup: str
    key: str
    prefix: str


def analyse(node: ast.stmt, text: str, setup: Setup, context: Context) -> TestCase:
    """The test that an `assert` statement (with source `text`) makes after the steps of `setup`."""
    assert isinstance(node, ast.Assert)
    try:
        with bounded():
            return _analyse(node, Segments(text), setup, context)
    except Unparsable as error:
        return malformed(_alone(text, node, setup), str(error))


def _alone(text: str, node: ast.AST, setup: Setup) -> str:
    origins = setup.origins((), names.loads(node)) if setup.steps else []
    return "\n".join([*(origin.text for origin in origins), text])


def _analyse(node: ast.Assert, segments: Segments, setup: Setup, context: Context) -> TestCase:
    if setup.redefined:
        raise Unparsable(f"the test defines {context.entry_point} itself, so it would not test the candidate's")
    test = node.test
    if isinstance(test, ast.Tuple) and test.elts:
        raise Unparsable("asserts a tuple, which is always true")
    work = prepared(test, setup)
    seen = _distinct(observed(work, setup))
    if not seen.calls:
        raise Unparsable(f"the assertion does not depend on a call of {context.entry_point}")
    _refuse_effects(work, seen, setup)
    _refuse_hidden_answers(work, seen, setup)
    pairs = _pairs(test, work, seen, setup)
    form = _form(pairs, seen)
    assert form is not Form.CLOSE or pairs is not None
    expected = pairs[0].work_answer if form is Form.CLOSE and pairs else work
    sides = split(
        [call.node for call in seen.calls],
        [call.chain for call in seen.calls],
        [call.told for call in seen.calls],
        test,
        expected,
        _outside(expected, seen),
        setup,
        context,
    )
    untouched = segments if work is test and faithful(test, segments) else None
    case = _spelled_out(work, seen, segments, untouched, sides, form)
    if pairs is None:
        return _without_slot(case, test, segments, sides)
    return _with_slots(case, pairs, seen, segments, untouched, sides)


def _form(pairs: Sequence[Pair] | None, seen: _Observations) -> Form:
    """EQUAL and CLOSE compare one observed value as it is with an answer; everything else is a CHECK."""
    if pairs is None or len(pairs) != 1 or len(seen.calls) != 1 or id(pairs[0].work_tested) not in seen.plain:
        return Form.CHECK
    return {"equal": Form.EQUAL, "close": Form.CLOSE, "check": Form.CHECK}[pairs[0].kind]


@dataclass(frozen=True, slots=True)
class _Observations:
    """Every observed place of an assertion with its number; places that spell the same name share one."""

    calls: tuple[Seen, ...]
    plain: Mapping[int, str]
    """id of the node → `_0`, `_1`, …"""
    opaque: Mapping[int, str]
    """id of the chain → the same."""


def _distinct(places: Sequence[Seen]) -> _Observations:
    calls: list[Seen] = []
    plain: dict[int, str] = {}
    opaque: dict[int, str] = {}
    numbers: dict[str, int] = {}
    for seen in places:
        same = ast.dump(seen.chain) + ast.dump(seen.told) if isinstance(seen.node, ast.Name) else f"#{len(calls)}"
        if same not in numbers:
            numbers[same] = len(calls)
            calls.append(seen)
        plain[id(seen.node)] = opaque[id(seen.chain)] = f"_{numbers[same]}"
    return _Observations(tuple(calls), plain, opaque)


def _refuse_hidden_answers(work: ast.expr, seen: _Observations, setup: Setup) -> None:
    """A helper of several statements that returns only true or false compares inside: its arguments hold the answer."""
    node = work.operand if isinstance(work, ast.UnaryOp) else work
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node]
    tested = [side for side in sides if not (isinstance(side, ast.Constant) and isinstance(side.value, bool))]
    if len(tested) != 1 or (isinstance(node, ast.Compare) and len(sides) == len(tested)):
        return
    call = tested[0]
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in setup.helpers:
        raise Unparsable(
            f"the helper {call.func.id} compares inside, where the candidate would see the expected answer"
        )


def _refuse_effects(work: ast.expr, seen: _Observations, setup: Setup) -> None:
    """Refuse `f(xs.pop()) == 3 and xs == []` and `(x := 2) and f(x) == 3`: one part of the assertion changes or binds
    what another part reads, but each part is evaluated by itself."""
    if not any(isinstance(node, ast.NamedExpr) or names.changed_by(node) for node in walk(work)):
        return
    parts = [walk(call.chain) for call in seen.calls]
    inside = {id(node) for part in parts for node in part}
    parts.append([node for node in walk(work) if id(node) not in inside])
    for part in parts:
        touched = {child.target.id for child in part if isinstance(child, ast.NamedExpr)}
        for child in part:
            for name in names.changed_by(child):
                touched |= setup.group(name)
        for others in parts:
            read = {node.id for node in others if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
            if others is not part and read & touched:
                raise Unparsable(f"one part of the assertion changes {min(read & touched)} and another part reads it")


def _outside(expected: ast.expr, seen: _Observations) -> set[str]:
    """Names that an expression reads outside its observations."""
    found: set[str] = set()
    reads = names.loads(expected)
    waiting: list[ast.AST] = [expected]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen.plain:
            if isinstance(node, ast.Name) and node.id in reads:
                found.add(node.id)
            waiting += ast.iter_child_nodes(node)
    return found


def split(
    calls: Sequence[ast.expr],
    chains: Sequence[ast.expr],
    told: Sequence[ast.expr],
    written: ast.AST,
    expected: ast.AST,
    check_names: set[str],
    setup: Setup,
    context: Context,
) -> Sides:
    """Divide the steps between the child's side and the judge's side, resolve well-known names, and make the key.

    `told` is what the key is made of: each call, with the method calls behind it that make it another call. `written`
    is the assertion as it stands, `expected` the expression that the judge's side evaluates.
    """
    call_names: set[str] = set().union(*(names.loads(call) for call in calls))
    wanted = call_names.union(*(names.loads(chain) for chain in chains)) - {context.entry_point}
    state = bool(call_names & setup.strong) or any(isinstance(call, ast.Name) for call in calls)
    for_calls = setup.slice(wanted, weak=state)
    for_check = setup.slice(check_names)
    if any(step.tainted or step.binds & setup.helpers for step in for_check.steps):
        raise Unparsable("the expected answer cannot be separated from the call it is expected of")
    _refuse_shared_answers(for_calls.steps, for_check.steps, wanted, check_names)
    _refuse_other_part(calls, expected, call_names & check_names, setup)
    _refuse_folded_part(written, for_calls.steps, call_names, setup)
    nodes = [written, expected, *calls, *(step.node for step in (*for_calls.steps, *for_check.steps))]
    call_imports = _imports(for_calls.missing - context.known, nodes, setup)
    if for_check.missing & context.known:
        name = min(for_check.missing & context.known)
        raise Unparsable(f"the expected answer is made with {name}, which only the programs define")
    check_imports = _imports(for_check.missing, nodes, setup)
    origins = setup.origins([*for_calls.steps, *for_check.steps], names.loads(written))
    bound: set[str] = set().union(*(origin.binds for origin in origins))
    unbound = names.loads(written).union(*(origin.loads for origin in origins)) - bound - names.BUILTINS
    unbound -= {context.entry_point, *context.known}
    imports = sorted({*call_imports, *check_imports, *_imports(unbound, nodes, setup, strict=False)})
    for_key = setup.slice(call_names.union(*map(names.loads, told)) - {context.entry_point}, weak=state)
    return Sides(
        setup="\n".join([*call_imports, *(step.text for step in for_calls.steps)]),
        check_setup="\n".join([*check_imports, *(step.text for step in for_check.steps)]),
        key=_key(told, for_key.steps, call_imports, context),
        prefix="".join(f"{line}\n" for line in [*imports, *(origin.text for origin in origins)]),
    )


def _refuse_other_part(calls: Sequence[ast.AST], expected: ast.AST, shared: set[str], setup: Setup) -> None:
    """Refuse `f(data[0]) == data[1]` where `data` is computed: the child would compute the answer along with the
    question."""
    inside = {id(node) for call in calls for node in walk(call)}
    for name in shared:
        step = setup.producer(name)
        if step is None or isinstance(step.node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef):
            continue
        given = set().union(*(_parts(call, name, set()) for call in calls))
        answered = _parts(expected, name, inside)
        if "" not in given and "" not in answered and not answered <= given:
            raise Unparsable(f"{name} holds both the arguments and the expected answer, and is not a literal")


def _refuse_folded_part(written: ast.AST, for_calls: Sequence[Step], direct: set[str], setup: Setup) -> None:
    """Refuse `run() == case["out"]` where the helper `run` reads all of `case`: the literal would travel with it."""
    carried: set[str] = set().union(*(step.binds for step in for_calls)) - direct
    waiting = [written] if carried else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in setup.callables:
            continue
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in carried:
            raise Unparsable(f"{node.value.id} holds the expected answer and is read by what the call needs")
        waiting += ast.iter_child_nodes(node)


def _parts(tree: ast.AST, name: str, inside: set[int]) -> set[str]:
    """Which parts of a variable an expression reads: `[0]`, `.x`, or "" for all of it. Nodes in `inside` do not
    count."""
    found: set[str] = set()
    covered: set[int] = set()
    for node in walk(tree):
        if id(node) in inside:
            continue
        if (
            isinstance(node, ast.Subscript | ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == name
        ):
            found.add(ast.dump(node.slice) if isinstance(node, ast.Subscript) else f".{node.attr}")
            covered.add(id(node.value))
        elif isinstance(node, ast.Name) and node.id == name and id(node) not in covered:
            found.add("")
    return found


def _imports(missing: Iterable[str], nodes: Sequence[ast.AST], setup: Setup, strict: bool = True) -> list[str]:
    """Imports of well-known names that the text forgot; a name that is not well known makes the test malformed."""
    lines = []
    for name in sorted(missing):
        if name.startswith("_") and name[1:].isdigit():
            raise Unparsable(f"the name {name} is reserved for observed values")
        line = names.import_for(name, nodes)
        if line is not None:
            lines.append(line)
        elif strict and not setup.starred and name not in setup.callables:
            raise Unparsable(setup.failure or f"the name {name} is not defined")
    return sorted(lines)


def _refuse_shared_answers(
    for_calls: Sequence[Step], for_check: Sequence[Step], call_names: set[str], check_names: set[str]
) -> None:
    """Refuse a statement that makes the arguments and the expected answer in one go."""
    needed = set(call_names).union(*(step.loads for step in for_calls))
    wanted_outside = set(check_names).union(*(step.loads for step in for_check))
    for step in for_calls:
        if isinstance(step.node, ast.Import | ast.ImportFrom):
            continue
        only_check = wanted_outside - needed
        if any(step is other for other in for_check) and step.binds & only_check and step.binds & needed:
            both = ", ".join(sorted(step.binds))
            raise Unparsable(f"one statement makes both the arguments and the expected answer ({both})")


def _key(calls: Sequence[ast.expr], steps: Sequence[Step], imports: Iterable[str], context: Context) -> str:
    """The calls in canonical text, with the values of variables in place; statements that have to stay go in front."""
    bound: dict[str, str] = {}
    normaliser = Normaliser(context.entry_point, context.parameters, bound)
    for line in imports:
        _bind_imports(module_tree(line).body[0], bound)
    changed = {name for step in steps for name in step.mutates | (step.binds if step.tainted else frozenset())}
    changed |= {name for step in steps for name in names.read_later(step.node)}
    kept: list[str] = []
    for step in steps:
        if isinstance(step.node, ast.Import | ast.ImportFrom):
            for name in step.binds:
                normaliser.renamed.pop(name, None)
            _bind_imports(step.node, bound)
            continue
        value = step.assigned
        if value is not None and not step.binds & changed and not step.mutates:
            (name,) = step.binds
            text = normaliser.text(value)
            normaliser.renamed.pop(name, None)
            bound[name] = text
            continue
        for name in sorted(step.binds):
            bound.pop(name, None)
            normaliser.renamed.setdefault(name, f"v{len(normaliser.renamed)}")
        kept.append(normaliser.text(step.node))
    called = " & ".join(normaliser.text(call) for call in calls)
    return f"{'; '.join(kept)} -> {called}" if kept else called


def _bind_imports(node: ast.stmt, bound: dict[str, str]) -> None:
    """What imported names stand for: `from math import gcd as g` makes `g` the same as `math.gcd`."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            bound[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            constant_of_math = node.module == "math" and alias.name in ("inf", "nan")
            text = constant(float(alias.name)) if constant_of_math else f"{'.' * node.level}{node.module}.{alias.name}"
            bound[alias.asname or alias.name] = text


def _spelled_out(
    work: ast.expr, seen: _Observations, segments: Segments, untouched: Segments | None, sides: Sides, form: Form
) -> TestCase:
    calls = tuple(spelled(call.node, {}, untouched) for call in seen.calls)
    chained = form is Form.CHECK and any(call.chain is not call.node for call in seen.calls)
    return TestCase(
        source=sides.prefix + segments.text,
        key=sides.key,
        form=form,
        setup=sides.setup,
        calls=calls,
        opaque_calls=tuple(spelled(call.chain, {}, untouched) for call in seen.calls) if chained else (),
        check="" if form is Form.CLOSE else spelled(work, seen.plain, untouched),
        check_setup=sides.check_setup,
        opaque_check=spelled(work, seen.opaque, untouched) if chained else "",
    )


def _pairs(test: ast.expr, work: ast.expr, seen: _Observations, setup: Setup) -> list[Pair] | None:
    """The compared pairs of an assertion, each with a slot for the answer; None when some part has no such slot."""
    if isinstance(test, ast.BoolOp) and isinstance(work, ast.BoolOp) and isinstance(test.op, ast.And):
        found: list[Pair] = []
        for part, work_part in zip(test.values, work.values, strict=True):
            inner = _pairs(part, work_part, seen, setup)
            if inner is None:
                return None
            found += inner
        return found
    for recognise in (closeness, equality, comparer):
        as_written = recognise(test, setup.literals)
        worked = recognise(work, setup.literals) if as_written is not None else None
        if as_written is not None and worked is not None:
            first, second = (_holds(side, seen) for side in (worked.first, worked.second))
            if first == second or (as_written.one_way and not first):
                return None
            tested, answer = (worked.first, worked.second) if first else (worked.second, worked.first)
            slot = as_written.second if first else as_written.first
            return [
                Pair(
                    slot,
                    tested,
                    answer,
                    as_written.kind,
                    as_written.strict,
                    as_written.identity,
                    as_written.rel_tol,
                    as_written.abs_tol,
                )
            ]
    return None


def _holds(node: ast.AST, seen: _Observations) -> bool:
    return any(id(child) in seen.plain for child in walk(node))


def _with_slots(
    case: TestCase,
    pairs: Sequence[Pair],
    seen: _Observations,
    segments: Segments,
    untouched: Segments | None,
    sides: Sides,
) -> TestCase:
    answers = tuple(spelled(pair.work_tested, seen.plain, untouched) for pair in pairs)
    opaque = tuple(spelled(pair.work_tested, seen.opaque, untouched) for pair in pairs) if case.opaque_calls else ()
    pieces: list[str] = []
    last = 0
    for pair in sorted(pairs, key=lambda pair: segments.start(pair.slot)):
        pieces.append(segments.text[last : segments.start(pair.slot)])
        last = segments.end(pair.slot)
    pieces.append(segments.text[last:])
    pieces[0] = sides.prefix + pieces[0]
    template: tuple[str, ...] = tuple(pieces)
    if any(pair.identity for pair in pairs):  # `is True` with another answer is an equality
        left = [spelled(pair.work_tested, {}, untouched) for pair in pairs]
        template = _equalities(sides.prefix, left)
    return replace(
        case,
        predicted=spelled(pairs[0].work_answer, {}, untouched) if len(pairs) == 1 else None,
        answer_exprs=answers,
        opaque_answer_exprs=opaque,
        template=template,
        strict=case.form is Form.EQUAL and pairs[0].strict,
        rel_tol=pairs[0].rel_tol if case.form is Form.CLOSE else 0.0,
        abs_tol=pairs[0].abs_tol if case.form is Form.CLOSE else 0.0,
    )


def _equalities(prefix: str, left: Sequence[str]) -> tuple[str, ...]:
    """Pieces of `assert a == … and b == …`."""
    first, *others = [f"({side})" if _loose(side) else side for side in left]
    return (f"{prefix}assert {first} == ", *(f" and {side} == " for side in others), "")


def _loose(side: str) -> bool:
    return not isinstance(expression_tree(side), _ATOMS)


def _without_slot(case: TestCase, test: ast.expr, segments: Segments, sides: Sides) -> TestCase:
    """A test of truth gets its negation; anything else becomes an equality per observation when it is corrected."""
    inner = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    if isinstance(inner, _ATOMS):
        begin, end = segments.start(test), segments.end(test)
        positive = inner is test
        body = f"not {segments.text[begin:end]}" if positive else segments.of(inner)
        check, opaque = (
            f"bool({text})" if text else ""
            for text in (_bare(case.check, positive), _bare(case.opaque_check, positive))
        )
        return replace(
            case,
            predicted=str(positive),
            answer_exprs=(check,),
            opaque_answer_exprs=(opaque,) if opaque else (),
            negation=sides.prefix + segments.text[:begin] + body + segments.text[end:],
        )
    left = dict.fromkeys(case.opaque_calls or case.calls)
    numbered: dict[str, int] = {}
    for index, call in enumerate(case.opaque_calls or case.calls):
        numbered.setdefault(call, index)
    names_of = tuple(f"_{numbered[call]}" for call in left)
    answers = names_of
    if case.opaque_calls:
        answers = tuple(_applied(case, numbered[call]) for call in left)
    return replace(
        case,
        answer_exprs=answers,
        opaque_answer_exprs=names_of if case.opaque_calls else (),
        template=_equalities(sides.prefix, list(left)),
    )


def _bare(check: str, positive: bool) -> str:
    return check if positive or not check else check.removeprefix("not").strip()


def _applied(case: TestCase, index: int) -> str:
    """The chain of an observation over the observed value: `f(x).area()` → `_0.area()`."""
    call, chain = case.calls[index], case.opaque_calls[index]
    return chain.replace(call, f"_{index}", 1)
