"""Which names a piece of Python needs, binds and changes, read off its syntax tree.

Two users: the code parser asks which names of a program nobody binds (the prelude), the test parser which set-up
statements a call depends on. The analysis follows Python's scopes (functions, lambdas, comprehensions, classes) but not
its control flow: a name bound anywhere in a function is local to it.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from a1kit.parsing.source import walk


def words(text: str) -> frozenset[str]:
    """A set of words, for tables that are easier to read as text."""
    return frozenset(text.split())


BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}

_FROM = {
    "typing": "Any Callable ClassVar DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable "
    "Iterator List Literal Mapping MutableMapping NamedTuple NoReturn Optional Protocol Sequence Set Sized Tuple Type "
    "TypeVar TypedDict Union cast overload",
    "collections": "ChainMap Counter OrderedDict UserDict defaultdict deque namedtuple",
    "functools": "cache cached_property cmp_to_key lru_cache partial reduce singledispatch total_ordering wraps",
    "itertools": "accumulate chain combinations combinations_with_replacement count cycle dropwhile groupby "
    "islice pairwise permutations product repeat starmap takewhile tee zip_longest",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "math": "ceil comb cos degrees exp factorial floor gcd hypot inf isclose isfinite isinf isnan isqrt lcm log log10 "
    "log2 nan perm pi prod radians sin sqrt tan tau trunc",
    "dataclasses": "asdict astuple dataclass replace",
    "enum": "Enum Flag IntEnum IntFlag StrEnum auto",
    "abc": "ABC ABCMeta abstractmethod",
    "decimal": "Decimal ROUND_HALF_UP getcontext",
    "fractions": "Fraction",
    "datetime": "date datetime timedelta timezone",
    "copy": "deepcopy",
    "operator": "add attrgetter itemgetter methodcaller mul xor",
    "statistics": "mean median mode stdev",
    "string": "ascii_letters ascii_lowercase ascii_uppercase punctuation",
    "random": "choice randint shuffle",
    "contextlib": "contextmanager suppress",
}
_MODULES = (
    "array asyncio base64 bisect calendar cmath collections copy dataclasses datetime decimal enum fractions "
    "functools hashlib heapq itertools json math operator os random re statistics string struct sys "
    "textwrap time typing unicodedata"
)

PRELUDE: dict[str, str] = {
    **{name: f"from {module} import {name}" for module, names in _FROM.items() for name in names.split()},
    **{name: f"import {name}" for name in _MODULES.split() if name not in ("bisect", "datetime")},
    "bisect": "import bisect",
    "datetime": "import datetime",
    "np": "import numpy as np",
    "pytest": "import pytest",
    "raises": "from pytest import raises",
    "approx": "from pytest import approx",
}
"""Well-known names and the import that binds each; where a module and its member share a name, the way it is used
decides (see `import_for`)."""

STDLIB = frozenset(sys.stdlib_module_names)

_MUTATORS = words(
    "add append appendleft clear discard difference_update extend extendleft insert intersection_update move_to_end "
    "pop popitem popleft push put remove reverse rotate setdefault sort symmetric_difference_update update"
)
_PURE = words(
    "as_integer_ratio bit_length capitalize casefold center copy count decode difference encode endswith expandtabs "
    "find format get hex index intersection is_integer isalnum isalpha isascii isdecimal isdigit isdisjoint "
    "isidentifier islower isnumeric isspace issubset issuperset istitle isupper items join keys ljust lower lstrip "
    "most_common partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split "
    "splitlines startswith strip swapcase symmetric_difference title translate union upper values zfill"
)
"""Methods of built-in types that leave their object as it is."""

_ONLY_LOOK = words("print repr str len type id isinstance hasattr callable")
AMBIENT = words("seed setrecursionlimit set_int_max_str_digits setlocale setcontext getcontext")
"""Functions that change the state of the whole interpreter: a statement that calls one is always set-up."""


def import_for(name: str, tree: Sequence[ast.AST]) -> str | None:
    """The import that binds a well-known `name`, or None. `bisect(…)` and `datetime(…)` mean the member, not the
    module."""
    if name not in ("bisect", "datetime"):
        return PRELUDE.get(name)
    nodes = [node for root in tree for node in walk(root)]
    dotted = any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and node.attr
        in (
            ("datetime", "timedelta", "date", "timezone", "time")
            if name == "datetime"
            else ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right")
        )
        for node in nodes
    )
    return f"import {name}" if dotted else f"from {name} import {name}"


class _Reader:
    """Collects, in evaluation order, the names that are read before they are bound, and the names that are bound."""

    __slots__ = ("binds", "loads", "local")

    def __init__(self, local: Iterable[str] = ()) -> None:
        self.binds: set[str] = set()
        self.loads: set[str] = set()
        self.local = set(local)

    def read(self, node: ast.AST | None) -> None:
        if node is None or isinstance(node, ast.Constant):
            return
        method = _HANDLERS.get(type(node))
        if method is not None:
            method(self, node)
        else:
            for name in node._fields:
                child = getattr(node, name, None)
                if isinstance(child, list):
                    for item in child:
                        if isinstance(item, ast.AST):
                            self.read(item)
                elif isinstance(child, ast.AST):
                    self.read(child)

    def read_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            self.read(node)

    def bind(self, name: str) -> None:
        self.binds.add(name)
        self.local.add(name)

    def _Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bind(node.id)
        elif node.id not in self.local:
            self.loads.add(node.id)

    def _Assign(self, node: ast.Assign) -> None:
        self.read(node.value)
        self.read_all(node.targets)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            if node.target.id not in self.local:
                self.loads.add(node.target.id)
            self.read(node.value)
            self.bind(node.target.id)
        else:
            self.read(node.target)
            self.read(node.value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        self.read(node.annotation)
        self.read(node.value)
        self.read(node.target)

    def _branches(self, *bodies: Iterable[ast.AST]) -> None:
        """Read statements of which one list will run: only what all of them bind is certainly bound afterwards."""
        before, after = self.local, []
        for body in bodies:
            self.local = set(before)
            self.read_all(body)
            after.append(self.local)
        self.local = set.intersection(*after)

    def _If(self, node: ast.If) -> None:
        self.read(node.test)
        self._branches(node.body, node.orelse)

    def _For(self, node: ast.For) -> None:
        self.read(node.iter)
        self._branches([node.target, *node.body], [])
        self._branches(node.orelse, [])

    _AsyncFor = _For

    def _While(self, node: ast.While) -> None:
        self.read(node.test)
        self._branches(node.body, node.orelse)

    def _Try(self, node: ast.Try) -> None:
        self._branches([*node.body, *node.orelse], *([handler] for handler in node.handlers), [])
        self.read_all(node.finalbody)

    _TryStar = _Try

    def _Match(self, node: ast.Match) -> None:
        self.read(node.subject)
        self._branches(*([case] for case in node.cases), [])

    def _NamedExpr(self, node: ast.NamedExpr) -> None:
        self.read(node.value)
        self.read(node.target)

    def _ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.read(node.type)
        if node.name:
            self.bind(node.name)
        self.read_all(node.body)

    def _bind_imports(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.bind(alias.asname or alias.name.split(".")[0])

    _Import = _ImportFrom = _bind_imports

    def _MatchAs(self, node: ast.MatchAs) -> None:
        self.read(node.pattern)
        if node.name:
            self.bind(node.name)

    def _MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.bind(node.name)

    def _MatchMapping(self, node: ast.MatchMapping) -> None:
        self.read_all([*node.keys, *node.patterns])
        if node.rest:
            self.bind(node.rest)

    def _read_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        inner = _Reader(self.local)
        for position, generator in enumerate(node.generators):
            (self if position == 0 else inner).read(generator.iter)
            inner.read(generator.target)
            inner.read_all(generator.ifs)
        inner.read_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        self.loads |= inner.loads
        for child in walk(node):
            if isinstance(child, ast.NamedExpr) and isinstance(child.target, ast.Name):
                self.bind(child.target.id)

    _ListComp = _SetComp = _GeneratorExp = _DictComp = _read_comprehension

    def _Lambda(self, node: ast.Lambda) -> None:
        self._read_defaults(node.args)
        self._read_body(node.args, [node.body])

    def _FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.read_all(node.decorator_list)
        self._read_defaults(node.args)
        self.read(node.returns)
        self.bind(node.name)
        self._read_body(node.args, node.body)

    _AsyncFunctionDef = _FunctionDef

    def _read_defaults(self, args: ast.arguments) -> None:
        """What a definition evaluates at once: defaults and annotations."""
        self.read_all([*args.defaults, *args.kw_defaults])
        self.read_all(arg.annotation for arg in all_arguments(args))

    def _read_body(self, args: ast.arguments, body: Sequence[ast.AST]) -> None:
        inner = _Reader(local(args, body))
        inner.read_all(body)
        self.loads |= inner.loads - self.local

    def _ClassDef(self, node: ast.ClassDef) -> None:
        self.read_all([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)])
        inner = _Reader(self.local)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                method = _Reader(self.local | {node.name})
                method.read(statement)
                inner.loads |= method.loads
                inner.bind(statement.name)
            else:
                inner.read(statement)
        self.loads |= inner.loads - {node.name}
        self.bind(node.name)


_HANDLERS: dict[type[ast.AST], Callable[[_Reader, Any], None]] = {
    getattr(ast, name[1:]): method
    for name, method in vars(_Reader).items()
    if name[0] == "_" and isinstance(getattr(ast, name[1:], None), type)
}


def all_arguments(args: ast.arguments) -> list[ast.arg]:
    """Every parameter of a function, in the order of its signature."""
    stars = [star for star in (args.vararg, args.kwarg) if star is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *stars]


def local(args: ast.arguments, body: Sequence[ast.AST]) -> set[str]:
    """Names that belong to a function alone: its parameters, and what its body binds and does not declare otherwise."""
    outside = {
        name
        for node in body
        for child in walk(node)
        if isinstance(child, ast.Global | ast.Nonlocal)
        for name in child.names
    }
    return {argument.arg for argument in all_arguments(args)} | (binds(*body) - outside)


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def targets(node: Comprehension) -> set[str]:
    """Names that the loops of a comprehension bind inside it."""
    return set().union(*(binds(generator.target) for generator in node.generators))


def loads(*nodes: ast.AST | None) -> set[str]:
    """Names that `nodes` read from outside themselves."""
    reader = _Reader()
    reader.read_all(nodes)
    return reader.loads


def binds(*nodes: ast.AST) -> set[str]:
    """Names that running `nodes` binds in the scope they stand in."""
    reader = _Reader()
    reader.read_all(nodes)
    return reader.binds


def unbound(tree: ast.Module) -> set[str]:
    """Names that a program reads and that neither it nor Python itself binds."""
    if any(isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names) for node in tree.body):
        return set()
    reader = _Reader()
    reader.read_all(tree.body)
    for node in walk(tree):
        if isinstance(node, ast.Global):
            reader.binds.update(node.names)
    return reader.loads - reader.binds - BUILTINS


def base_name(node: ast.AST) -> str | None:
    """`xs` of `xs[0].items`; None when the chain does not start at a name."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def mutates(statement: ast.stmt) -> set[str]:
    """Names whose objects the statement may change in place: targets of item and attribute assignments, receivers of
    well-known mutating methods, and everything handed to a call whose result is thrown away."""
    found: set[str | None] = set()
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return set()
    for node in walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(base_name(node))
        elif isinstance(node, ast.AugAssign):
            found.add(base_name(node.target))
        elif changed_by(node):
            found |= changed_by(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found |= _handed_over(node.value)
    found.discard(None)
    return {name for name in found if name is not None}


def changed_by(node: ast.AST) -> set[str]:
    """The name whose object a call changes in place, by what is called: `xs` of `xs.pop()` and of `next(xs)`."""
    name: str | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
        name = base_name(node.func)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
        name = base_name(node.args[0])
    return set() if name is None else {name}


def read_later(node: ast.AST) -> frozenset[str]:
    """Names that functions defined inside a statement read when they are called, perhaps after those have changed."""
    functions = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset().union(*(loads(inner) for inner in walk(node) if isinstance(inner, functions)))


def receivers(node: ast.AST) -> set[str]:
    """Names whose objects get a method call that is not known to leave them as they are."""
    found = {
        base_name(child.func)
        for child in walk(node)
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr not in _PURE
    }
    return {name for name in found if name is not None}


def _handed_over(call: ast.Call) -> set[str | None]:
    if isinstance(call.func, ast.Name) and call.func.id in _ONLY_LOOK:
        return set()
    if isinstance(call.func, ast.Attribute) and call.func.attr.startswith("assert"):
        return set()
    handed: set[str | None] = set()
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        handed |= loads(argument)
    if isinstance(call.func, ast.Attribute):
        handed.add(base_name(call.func))
    return handed
