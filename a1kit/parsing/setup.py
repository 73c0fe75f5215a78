"""The statements in front of an assertion, and the slice of them that a call needs.

The candidate's child must not see an expected answer, so a test's statements are never handed over in bulk. Each one is
kept as a `Step` that knows which names it binds, reads and changes in place; `Setup.slice` walks backwards and takes
only what the wanted names depend on. Three things make slices clean:

* `x, want = 3, 4` becomes two steps, and `case["want"]` of a literal becomes the element, so that a question and its
  answer that are written in one literal come apart;
* names are followed through plain aliases (`b = a; b.append(1)` changes `a`);
* what derives from a run of the entry point is known: `strong` names hold its results (or were handed to a call whose
  result was thrown away), `weak` names were only its arguments.

What is not followed: changes through a helper's hidden state, and control flow inside compound statements (such a
statement is one step that reads, binds and changes everything in it).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from a1kit.parsing import names
from a1kit.parsing.literals import Literals, destructure, fold
from a1kit.parsing.source import Unparsable, render, walk

MAX_STEPS = 500
"""Most statements in front of one assertion."""


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """A statement as it stands in the test; its text is what `TestCase.source` shows."""

    text: str
    binds: frozenset[str]
    loads: frozenset[str]
    mutates: frozenset[str]
    plain: bool
    """It only gives names their first or a new value, so that earlier values do not matter."""
    later: frozenset[str]
    """Names that functions defined in it read when they are called, perhaps after a change."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One statement of the set-up in its lean form (literals looked up, unpacking taken apart).

    `mutates` are names whose objects it may change, and `hands` names handed to the entry point, both with their other
    names at that time; `tainted` steps run the entry point (or read its results), `ambient` ones change the
    interpreter's state and belong to every slice.
    """

    node: ast.stmt
    text: str
    origin: Origin
    binds: frozenset[str]
    loads: frozenset[str]
    mutates: frozenset[str]
    hands: frozenset[str]
    tainted: bool
    ambient: bool

    @property
    def assigned(self) -> ast.expr | None:
        """The value, if the step does nothing but give one name a value."""
        if len(self.binds) != 1:
            return None
        if (
            isinstance(self.node, ast.Assign)
            and len(self.node.targets) == 1
            and isinstance(self.node.targets[0], ast.Name)
        ):
            return self.node.value
        if isinstance(self.node, ast.AnnAssign) and isinstance(self.node.target, ast.Name):
            return self.node.value
        return None


@dataclass(frozen=True, slots=True)
class Slice:
    """Steps that names depend on, in order, and the names that no step binds."""

    steps: tuple[Step, ...]
    missing: frozenset[str]


@dataclass(slots=True)
class Setup:
    """Everything that runs before the next assertion."""

    entry_point: str
    steps: list[Step] = field(default_factory=list)
    literals: Literals = field(default_factory=dict)
    strong: set[str] = field(default_factory=set)
    weak: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    aliases: dict[str, set[str]] = field(default_factory=dict)
    asserted: list[ast.expr] = field(default_factory=list)
    """Calls of the entry point in earlier assertions that were handed variables."""
    bound: set[str] = field(default_factory=set)
    redefined: bool = False
    starred: bool = False
    failure: str | None = None
    """Why a statement could not be taken up, if one could not."""

    def copy(self) -> Setup:
        """A set-up that can grow on its own (inside a test function)."""
        return Setup(
            self.entry_point,
            list(self.steps),
            dict(self.literals),
            set(self.strong),
            set(self.weak),
            set(self.helpers),
            {name: set(group) for name, group in self.aliases.items()},
            list(self.asserted),
            set(self.bound),
            self.redefined,
            self.starred,
            self.failure,
        )

    @property
    def callables(self) -> set[str]:
        """The entry point and the helpers that call it."""
        return {self.entry_point, *self.helpers}

    def add(self, node: ast.stmt, text: str | None = None) -> None:
        """Append a statement; `text` is its source as written."""
        if len(self.steps) >= MAX_STEPS:
            raise Unparsable(f"stands after more than {MAX_STEPS} statements of set-up")
        text = render(node) if text is None else text
        binds = frozenset(names.binds(node))
        defines = _is_definition(node)
        plain = isinstance(node, ast.Assign | ast.AnnAssign) or defines
        if _is_compound(node):
            self._share(node)
        mutates = self._with_aliases(names.mutates(node))
        origin = Origin(text, binds, frozenset(names.loads(node)), mutates, plain, names.read_later(node))
        self.bound |= binds
        if self.entry_point in binds:
            self.redefined = True
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            self.starred = True
        parts = self._parts(node)
        if len(parts) == 1 and parts[0] is node:
            self._append(node, text, origin)
        else:
            for part in parts:
                self._append(part, render(part), origin)

    def _parts(self, node: ast.stmt) -> list[ast.stmt]:
        """The statement with literals looked up, and with element-wise unpacking taken apart."""
        node = fold(node, self.literals)
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
            return [node]
        pairs = destructure(node.targets[0], node.value, self.literals)
        if pairs is None or len(pairs) < 2 or {*names.loads(node.value), *names.binds(node.value)} & names.binds(node):
            return [node]
        return [_assign(name, value) for name, value in pairs]

    def _append(self, node: ast.stmt, text: str, origin: Origin) -> None:
        binds, loads = frozenset(names.binds(node)), frozenset(names.loads(node))
        defines = _is_definition(node)
        changed = names.mutates(node) | (set() if defines else names.receivers(node) & self.strong)
        mutated = self._with_aliases(changed)
        runs = not defines and bool(loads & self.callables)
        tainted = not defines and (runs or bool(loads & self.strong))
        hands = self._with_aliases(self._handed(node)) if runs else frozenset()
        if defines and loads & (self.callables | self.strong):
            self.helpers |= binds
        elif tainted:
            self.strong |= binds | mutated
            self.weak |= hands - binds
        else:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            still_weak = value is not None and bool(_shared_names(value) & self.weak)
            self.strong -= binds
            self.weak = self.weak | binds if still_weak else self.weak - binds
            self.helpers -= binds
        ambient = (
            any(
                isinstance(child, ast.Call)
                and getattr(child.func, "attr", getattr(child.func, "id", "")) in names.AMBIENT
                for child in walk(node)
            )
            if not defines
            else False
        )
        self._note_literals(node, binds, mutated | hands)
        self.steps.append(Step(node, text, origin, binds, loads, mutated, hands, tainted, ambient))

    def _handed(self, node: ast.stmt) -> set[str]:
        """Names in the arguments of calls of the entry point."""
        handed: set[str] = set()
        for child in walk(node):
            if isinstance(child, ast.Call) and names.loads(child) & self.callables:
                handed |= names.loads(*child.args, *(keyword.value for keyword in child.keywords))
                handed |= self._captured(names.loads(child))
        return self.variables(handed)

    def _captured(self, called: set[str]) -> set[str]:
        """Names that helpers read themselves, besides what they are handed."""
        steps = [self.producer(name) for name in called & self.helpers]
        return set().union(*(step.loads for step in steps if step is not None))

    def handed(self, call: ast.expr) -> set[str]:
        """Variables whose objects a call of the entry point, or of a helper, may change."""
        read = names.loads(call)
        return self.variables(read | self._captured(read))

    def variables(self, read: set[str]) -> set[str]:
        """Those of the names that a step binds, or that mean nothing else."""
        return {name for name in read - self.callables if name not in names.BUILTINS or name in self.bound}

    def _share(self, node: ast.stmt) -> None:
        """Note every alias that something inside a compound statement may make."""
        for inner in walk(node):
            if isinstance(inner, ast.Assign | ast.AnnAssign | ast.NamedExpr) and inner.value is not None:
                self._alias(names.binds(inner), _shared_names(inner.value))
            elif isinstance(inner, ast.For | ast.AsyncFor):
                self._alias(names.binds(inner.target), names.loads(inner.iter) - names.BUILTINS)

    def _alias(self, bound: Iterable[str], others: Iterable[str]) -> None:
        others = list(others)
        for name in bound:
            for other in others:
                self.aliases.setdefault(name, set()).add(other)
                self.aliases.setdefault(other, set()).add(name)

    def _with_aliases(self, touched: Iterable[str]) -> frozenset[str]:
        return frozenset(touched).union(*(self.group(name) for name in touched))

    def _note_literals(self, node: ast.stmt, binds: frozenset[str], changed: frozenset[str]) -> None:
        for name in changed:
            self.literals.pop(name, None)
        for name in [name for name, literal in self.literals.items() if names.loads(literal) & (binds | changed)]:
            del self.literals[name]
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        shared = self._with_aliases(_shared_names(value)) - binds if value is not None else frozenset()
        for name in binds:
            self.literals.pop(name, None)
            for other in () if _is_compound(node) else self.aliases.pop(name, set()):
                self.aliases.get(other, set()).discard(name)
        if value is None:
            return
        self._alias(binds, shared)
        if (
            len(binds) == 1
            and not names.loads(value) & changed
            and isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.Set | ast.Constant | ast.UnaryOp)
        ):
            self.literals[next(iter(binds))] = value

    def group(self, name: str) -> set[str]:
        """`name` and every name that may share objects with it."""
        found, waiting = {name}, [name]
        while waiting:
            for other in self.aliases.get(waiting.pop(), ()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return found

    def slice(self, wanted: Iterable[str], weak: bool = False) -> Slice:
        """The steps that `wanted` names depend on. `weak`: a call of the entry point may have changed its arguments."""
        wanted = set(wanted)
        while True:
            chosen, needed = self._backwards(wanted, weak)
            late: set[str] = set().union(*(names.read_later(step.node) for step in chosen))
            if late <= wanted:  # what a function reads may be bound after its definition
                break
            wanted |= late
        bound: set[str] = set().union(*(step.binds for step in chosen))
        return Slice(tuple(reversed(chosen)), frozenset(needed - bound - names.BUILTINS - {self.entry_point}))

    def _backwards(self, wanted: set[str], weak: bool) -> tuple[list[Step], set[str]]:
        """The chosen steps, last first, and every name that is needed and was not given a value by one of them."""
        needed = set(wanted)
        chosen: list[Step] = []
        for step in reversed(self.steps):
            touched = step.mutates | step.hands if weak else step.mutates
            if step.ambient or (step.binds | touched) & needed:
                chosen.append(step)
                if step.origin.plain:
                    needed -= step.binds
                needed |= step.loads
        return chosen, needed

    def origins(self, steps: Iterable[Step], wanted: Iterable[str]) -> list[Origin]:
        """The statements as written that `steps` came from, with what those need in turn, in order."""
        kept = {id(step.origin) for step in steps}
        wanted = set(wanted)
        while True:
            found = self._written(kept, wanted)
            late: set[str] = set().union(*(origin.later for origin in found))
            if late <= wanted:
                return found[::-1]
            wanted |= late

    def _written(self, kept: set[int], wanted: set[str]) -> list[Origin]:
        needed = set(wanted)
        found: list[Origin] = []
        for step in reversed(self.steps):
            origin = step.origin
            if found and found[-1] is origin:
                continue
            if id(origin) in kept or (origin.binds | origin.mutates) & needed:
                if origin.plain:
                    needed -= origin.binds
                needed |= origin.loads
                found.append(origin)
        return found

    def inlinable(self, name: str) -> ast.expr | None:
        """What a result's name stands for, if its value can be put in its place: one plain assignment, and nothing
        since then that changes the value or what it was computed from."""
        for index in range(len(self.steps) - 1, -1, -1):
            step = self.steps[index]
            if name in step.binds:
                value = step.assigned
                if value is None or not step.tainted or step.mutates:
                    return None
                sources = step.loads | {name}
                for later in self.steps[index + 1 :]:
                    if (later.mutates & sources) or (later.binds & step.loads):
                        return None
                return value
        return None

    def producer(self, name: str) -> Step | None:
        """The step that last bound a name."""
        return next((step for step in reversed(self.steps) if name in step.binds), None)


def _assign(name: str, value: ast.expr) -> ast.Assign:
    node = ast.Assign([ast.Name(name, ast.Store())], value)
    return ast.copy_location(node, value) if hasattr(value, "lineno") else ast.fix_missing_locations(node)


def _is_definition(node: ast.stmt) -> bool:
    """Statements that define and run nothing of it yet."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return True
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)


def _is_compound(node: ast.stmt) -> bool:
    return isinstance(
        node, ast.For | ast.AsyncFor | ast.While | ast.If | ast.With | ast.AsyncWith | ast.Try | ast.Match
    )


def _shared_names(value: ast.expr) -> set[str]:
    """Names whose objects become part of the value: `a`, `a[0]`, `[a, b]`, `{"k": a}`, `a or b`."""
    parts: list[ast.expr] = []
    if isinstance(value, ast.BoolOp):
        parts = value.values
    elif isinstance(value, ast.IfExp):
        parts = [value.body, value.orelse]
    elif isinstance(value, ast.NamedExpr):
        parts = [value.target, value.value]
    if parts:
        return set().union(*map(_shared_names, parts))
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return set().union(*(_shared_names(element) for element in value.elts)) if value.elts else set()
    if isinstance(value, ast.Dict):
        return set().union(*(_shared_names(element) for element in value.values)) if value.values else set()
    base = names.base_name(value)
    return {base} if base is not None else set()
