"""The traps world: small functions whose faults only their code gives away.

A question is a rule on numbers from 0 to 99, with up to two exceptions, asked in English:

    Return True if x is from 10 to 25, otherwise False. Except f(23) == False.

The domain is small enough to check every input, so the golden tests are exhaustive. What the imitated authors get
wrong is not what they were asked but what they add: most programs hold a *trap*, an extra condition on numbers that the
question never mentions.

    def f(x):
        if x == 23:
            return False
        if x == 61:               <- a trap: the question says nothing of 61
            return True
        return 10 <= x <= 25

A tester who sees only the question has to guess where a trap is; one who reads the code finds it at a glance. So this
world can tell white-box from black-box testing, which `a1kit.problems.micro` cannot. The faults:

    guard       a trap on one number            patch    a trap on three or four numbers in a row
    threshold   a bound is off by 1 to 4        operator `<` for `<=` and the like
    key         an exception for another number missing  an exception left out

Three splits, of questions whose rules (kind and bounds) occur nowhere else: `train`, `dev` for choices of design, and
`held_out`, which is for final measurements only.

Everything here is pure and seeded. `table` runs texts of this module's own making in this process and must never be
given anything a model wrote.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from a1kit.parsing.source import module_tree
from a1kit.problems.sets import ProblemSet
from a1kit.problems.worlds import Buggy
from a1kit.types import Question

ENTRY_POINT = "f"
DOMAIN = range(100)
SIZES: Mapping[str, int] = {"train": 240, "dev": 80, "held_out": 160}
SPLIT_SEED = 20_260
BOUNDS = range(8, 92)
"""Bounds keep away from the ends, so that both answers occur on either side."""
NARROWEST = 12
"""The least distance of two bounds."""

Kind = Literal["at_least", "below", "between", "outside"]
KINDS: tuple[Kind, ...] = ("at_least", "below", "between", "outside")
_SHARES = (1, 1, 3, 3)
"""Rules with one bound are few, and those of `dev` and `held_out` are kept from training."""
FAULTS = ("guard", "patch", "threshold", "operator", "key", "missing")

_PHRASES: Mapping[Kind, str] = {
    "at_least": "at least {0}",
    "below": "below {0}",
    "between": "from {0} to {1}",
    "outside": "below {0} or at least {1}",
}
_CONDITIONS: Mapping[Kind, str] = {
    "at_least": "x {0} {2}",
    "below": "x {0} {2}",
    "between": "{2} {0} x {1} {3}",
    "outside": "x {0} {2} or x {1} {3}",
}
_OPERATORS: Mapping[Kind, tuple[str, ...]] = {
    "at_least": (">=",),
    "below": ("<",),
    "between": ("<=", "<="),
    "outside": ("<", ">="),
}
_KEY_SLIPS = (1, 2, 3, 10)
"""How far the wrong number of an exception is from the right one."""
_SLIPPED = {">=": ">", "<": "<=", "<=": "<"}


@dataclass(frozen=True, slots=True)
class Task:
    """A rule and its exceptions: inputs whose answer is the other one."""

    kind: Kind
    bounds: tuple[int, ...]
    exceptions: tuple[int, ...]

    @property
    def rule(self) -> tuple[Kind, tuple[int, ...]]:
        """What no two splits share."""
        return (self.kind, self.bounds)

    @property
    def id(self) -> str:
        numbers = "-".join(map(str, self.bounds))
        but = f"-but-{'-'.join(map(str, self.exceptions))}" if self.exceptions else ""
        return f"micro-traps/{self.kind}-{numbers}{but}"

    def ruled(self, x: int) -> bool:
        """What the rule says of x, exceptions aside."""
        low, high = self.bounds[0], self.bounds[-1]
        match self.kind:
            case "at_least":
                return x >= low
            case "below":
                return x < low
            case "between":
                return low <= x <= high
            case "outside":
                return x < low or x >= high

    def answer(self, x: int) -> bool:
        return self.ruled(x) != (x in self.exceptions)


@dataclass(frozen=True, slots=True)
class Clause:
    """`if x == first: return answer`, or with a range when `last` is another number."""

    first: int
    last: int
    answer: bool

    def text(self) -> str:
        condition = f"x == {self.first}" if self.first == self.last else f"{self.first} <= x <= {self.last}"
        return f"    if {condition}:\n        return {self.answer}\n"


@dataclass(frozen=True, slots=True)
class Program:
    """A program of this world before it is text."""

    task: Task
    bounds: tuple[int, ...]
    operators: tuple[str, ...]
    clauses: tuple[Clause, ...]
    long: bool = False
    """Ends with `if ...: return True` and `return False`, instead of returning the condition."""

    def condition(self) -> str:
        """What it asks of numbers that no clause is about."""
        return _CONDITIONS[self.task.kind].format(*_padded(self.operators), *_padded(self.bounds))

    def text(self) -> str:
        """Its source; no line end after the last line."""
        condition = self.condition()
        end = f"    if {condition}:\n        return True\n    return False" if self.long else f"    return {condition}"
        return "def f(x):\n" + "".join(clause.text() for clause in self.clauses) + end


def _padded(values: tuple[Any, ...]) -> tuple[Any, Any]:
    return (values[0], values[-1])


@dataclass(frozen=True, slots=True)
class Weights:
    """How often an author errs. `threshold` and `key` count for every bound and every exception, `trap` is the share of
    programs with a trap, `patches` the share of traps that are patches, `harmless` the share whose answer is right all
    the same."""

    trap: float = 0.65
    patches: float = 0.35
    harmless: float = 0.15
    threshold: float = 0.14
    operator: float = 0.05
    key: float = 0.10
    missing: float = 0.05
    long: float = 0.4


AUTHORS = Weights()
"""The trap is what most programs have, so that it is what greedy decoding writes: were it rarer, reinforcement learning
would only have to sharpen what the model prefers anyway."""


def draw_task(rng: random.Random) -> Task:
    """Any task of this world."""
    (kind,) = rng.choices(KINDS, _SHARES)
    bounds: tuple[int, ...] = (rng.choice(BOUNDS),)
    while len(_OPERATORS[kind]) > len(bounds) or bounds[-1] - bounds[0] < NARROWEST * (len(bounds) - 1):
        bounds = tuple(sorted(rng.sample(BOUNDS, 2)))
    count = rng.choices((0, 1, 2), (0.25, 0.5, 0.25))[0]
    free = [x for x in DOMAIN if x not in bounds]
    return Task(kind, bounds, tuple(rng.sample(free, count)))


def describe(task: Task) -> str:
    """The question in English."""
    exceptions = "".join(f" Except f({x}) == {task.answer(x)}." for x in task.exceptions)
    return f"Return True if x is {_PHRASES[task.kind].format(*task.bounds)}, otherwise False.{exceptions}"


def right_program(task: Task, *, long: bool = False) -> Program:
    """The reference."""
    clauses = tuple(Clause(x, x, task.answer(x)) for x in task.exceptions)
    return Program(task, task.bounds, _OPERATORS[task.kind], clauses, long)


def draw_program(task: Task, rng: random.Random, weights: Weights = AUTHORS) -> Program:
    """A program as the authors of this world write it, so often wrong."""
    program = right_program(task, long=rng.random() < weights.long)
    for place in range(len(program.bounds)):
        if rng.random() < weights.threshold:
            program = _with_threshold(program, place, rng)
    for place in range(len(program.clauses)):
        if rng.random() < weights.key:
            program = _with_key(program, place, rng)
    if program.clauses and rng.random() < weights.missing:
        program = _without_clause(program, rng)
    if rng.random() < weights.operator:
        program = _with_operator(program, rng)
    if rng.random() < weights.trap:
        wide, harmless = rng.random() < weights.patches, rng.random() < weights.harmless
        program = _with_trap(program, rng, wide=wide, harmless=harmless)
    return program


def _with_threshold(program: Program, place: int, rng: random.Random) -> Program:
    bounds = list(program.bounds)
    bounds[place] += rng.choice((-4, -3, -2, -1, 1, 2, 3, 4))
    return replace(program, bounds=tuple(bounds))


def _with_operator(program: Program, rng: random.Random) -> Program:
    operators = list(program.operators)
    place = rng.randrange(len(operators))
    operators[place] = _SLIPPED[operators[place]]
    return replace(program, operators=tuple(operators))


def _with_key(program: Program, place: int, rng: random.Random) -> Program:
    clauses = list(program.clauses)
    taken = {clause.first for clause in clauses}
    near = [clauses[place].first + sign * step for step in _KEY_SLIPS for sign in (-1, 1)]
    key = rng.choice([x for x in near if x in DOMAIN and x not in taken])
    clauses[place] = replace(clauses[place], first=key, last=key)
    return replace(program, clauses=tuple(clauses))


def _without_clause(program: Program, rng: random.Random) -> Program:
    clauses = list(program.clauses)
    del clauses[rng.randrange(len(clauses))]
    return replace(program, clauses=tuple(clauses))


def _with_trap(program: Program, rng: random.Random, *, wide: bool, harmless: bool) -> Program:
    """A clause more, after all others, on numbers that have the same right answer and are in no other clause."""
    task = program.task
    length = rng.choice((3, 4)) if wide else 1
    taken = {clause.first for clause in program.clauses} | set(task.exceptions)
    while True:
        first = rng.choice(DOMAIN)
        inside = range(first, first + length)
        rulings = {task.ruled(x) for x in inside}
        if inside[-1] in DOMAIN and len(rulings) == 1 and not taken.intersection(inside):
            break
    clause = Clause(first, inside[-1], rulings.pop() == harmless)
    return replace(program, clauses=(*program.clauses, clause))


@cache
def _compiled(code: str) -> Callable[[int], bool]:
    namespace: dict[str, Any] = {}
    exec(compile(code, "<micro-traps>", "exec"), namespace)
    function: Callable[[int], bool] = namespace[ENTRY_POINT]
    return function


@cache
def table(code: str) -> tuple[bool, ...]:
    """What a program of this module's own making returns for every x. Only for such: this runs in this process."""
    return tuple(map(_compiled(code), DOMAIN))


@cache
def answers(task: Task) -> tuple[bool, ...]:
    """The right answer for every x."""
    return tuple(map(task.answer, DOMAIN))


def failures(task: Task, code: str) -> tuple[int, ...]:
    """The inputs on which a program of this module's own making is wrong."""
    return tuple(x for x, said, right in zip(DOMAIN, table(code), answers(task), strict=True) if said != right)


@cache
def splits() -> Mapping[str, tuple[Task, ...]]:
    """The tasks of each split. No rule occurs in two of them."""
    rng = random.Random(SPLIT_SEED)
    used: set[tuple[Kind, tuple[int, ...]]] = set()
    found: dict[str, tuple[Task, ...]] = {}
    for name in ("held_out", "dev", "train"):
        tasks: list[Task] = []
        own: set[tuple[Kind, tuple[int, ...]]] = set()
        while len(tasks) < SIZES[name]:
            task = draw_task(rng)
            if task.rule not in used | own:
                tasks.append(task)
                own.add(task.rule)
        used |= own
        found[name] = tuple(tasks)
    return found


@cache
def reserved() -> frozenset[tuple[Kind, tuple[int, ...]]]:
    """Rules that no training may see."""
    return frozenset(task.rule for name in ("dev", "held_out") for task in splits()[name])


def to_question(task: Task, split: str) -> Question:
    """The task as a question with its reference and all its hundred golden tests."""
    golden = tuple(f"assert f({x}) == {task.answer(x)}" for x in DOMAIN)
    meta = {
        "set": "micro-traps",
        "split": split,
        "kind": task.kind,
        "bounds": task.bounds,
        "exceptions": task.exceptions,
    }
    return Question(task.id, describe(task), ENTRY_POINT, right_program(task).text(), golden, meta)


@cache
def questions(split: str) -> tuple[Question, ...]:
    """The questions of `train`, `dev` or `held_out`."""
    return tuple(to_question(task, split) for task in splits()[split])


def load() -> ProblemSet:
    """All questions with their splits."""
    parts = {name: questions(name) for name in SIZES}
    ids = {name: tuple(question.id for question in part) for name, part in parts.items()}
    return ProblemSet("micro-traps", tuple(question for part in parts.values() for question in part), ids)


DRAWN = 4
"""Wrong programs a question."""


@cache
def kill_set(split: str = "held_out") -> tuple[Buggy, ...]:
    """Wrong programs for the questions of a split, drawn as their authors write them: what the kill rate of a Test LLM
    is measured on. A bug is named by the faults its text shows: `guard`, `guard+threshold`."""
    rng = random.Random(f"{SPLIT_SEED}/{split}")
    found = []
    for task, question in zip(splits()[split], questions(split), strict=True):
        wrong: dict[str, None] = {}
        while len(wrong) < DRAWN:
            text = draw_program(task, rng).text()
            if failures(task, text):
                wrong[text] = None
        found += [Buggy(question, "+".join(sorted(faults_of(question, text) or ())), text) for text in wrong]
    return tuple(found)


def faults_of(question: Question, code: str) -> frozenset[str] | None:
    """Which faults a program has, read off its text alone (it is not run, so a model may have written it); None when it
    is not written in the way of this world. A trap counts whether or not its answer is wrong."""
    read = _read(code)
    if read is None:
        return None
    keys, wide, condition = read
    exceptions = set(question.meta["exceptions"])
    found = {"patch"} if wide else set()
    lacking, extra = exceptions - keys, keys - exceptions
    shifted = {key for key in extra if any(abs(key - gone) in _KEY_SLIPS for gone in lacking)}
    if shifted:
        found.add("key")
    elif lacking:
        found.add("missing")
    if extra - shifted:
        found.add("guard")
    kind: Kind = question.meta["kind"]
    right = right_program(Task(kind, tuple(question.meta["bounds"]), ())).condition()
    if _NUMBER.findall(condition) != _NUMBER.findall(right):
        found.add("threshold")
    if _NUMBER.sub("", condition) != _NUMBER.sub("", right):
        found.add("operator")
    return frozenset(found)


_NUMBER = re.compile("[0-9]+")


def _read(code: str) -> tuple[set[int], bool, str] | None:
    """The numbers asked for one by one, whether a clause asks for a range, and the condition at the end."""
    try:
        tree = module_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match tree.body:
        case [ast.FunctionDef(name="f", args=ast.arguments(args=[ast.arg(arg="x")]), body=body)]:
            pass
        case _:
            return None
    match body:
        case [
            *clauses,
            ast.If(test=end, body=[ast.Return(ast.Constant(True))], orelse=[]),
            ast.Return(ast.Constant(False)),
        ]:
            pass
        case [*clauses, ast.Return(ast.expr() as end)]:
            pass
        case _:
            return None
    keys, wide = set(), False
    for clause in clauses:
        match clause:
            case ast.If(test=test, body=[ast.Return(ast.Constant(bool()))], orelse=[]):
                pass
            case _:
                return None
        match test:
            case ast.Compare(ast.Name("x"), [ast.Eq()], [ast.Constant(int(key))]):
                keys.add(key)
            case ast.Compare(ast.Constant(int()), [ast.LtE(), ast.LtE()], [ast.Name("x"), ast.Constant(int())]):
                wide = True
            case _:
                return None
    return keys, wide, ast.unparse(end)
