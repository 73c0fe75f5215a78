"""`a1kit eval-tests`: test generation, one test a round; pass@k, mut@k and Mul (`a1kit.evaluation.rounds`).

    a1kit eval-tests --data unleakedtestbench_lite.json --model smollm2-135m --limit 20 -o smollm2.jsonl
    a1kit eval-tests --data unleakedtestbench_lite.json --tests theirs.jsonl       # tests that were written elsewhere
    a1kit eval-tests --problems micro --split held_out --model micro-test --limit 20

Results go to the output file as they come, a line a task after a first line with the settings. The same command goes on
where an interrupted one stopped; other settings are refused. `--tests` takes JSON lines in the order of the rounds:
`{"id": …, "tests": ["assert …", …]}`.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from a1kit.errors import InputError, RunError
from a1kit.prompts import PromptStyle
from a1kit.sandbox.protocol import Level

if TYPE_CHECKING:
    from a1kit.evaluation import Estimate
    from a1kit.evaluation.rounds import RoundsReport, TaskResult, Writer
    from a1kit.types import Question

CHUNK = 16
"""Tasks that are written and judged together; what an interruption costs at most."""

WIDTH = 120
"""Columns of the table when nobody's terminal says how many there are."""

MUTANT_SECONDS = 3.0
"""CPU seconds a mutant may take for all calls together."""


def command(
    data: Annotated[
        Path | None, typer.Option("--data", help="A file of functions, such as UnLeakedTestBench's JSON.")
    ] = None,
    problems: Annotated[str, typer.Option("--problems", help="Or a problem set: classic, micro, humaneval.")] = "",
    split: Annotated[str, typer.Option("--split", help="One split of the problem set.")] = "",
    preset: Annotated[str, typer.Option("--preset", help="Format of the file. [default: told by its columns]")] = "",
    model: Annotated[str, typer.Option("--model", help="The Test LLM: folder, GGUF file, hub or known name.")] = "",
    tests: Annotated[
        Path | None, typer.Option("--tests", help="Or tests written elsewhere: JSON lines with id and tests.")
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Tests a function, one a round.")] = 5,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many tasks.")] = None,
    black_box: Annotated[bool, typer.Option("--black-box", help="Do not show the function.")] = False,
    style: Annotated[
        PromptStyle | None, typer.Option("--style", help="Wording of the prompt. [default: micro for micro models]")
    ] = None,
    temperature: Annotated[float, typer.Option("--temperature", min=0.0, help="0 is greedy.")] = 0.7,
    top_p: Annotated[float, typer.Option("--top-p", min=0.01, max=1.0, help="Nucleus sampling.")] = 0.95,
    max_new_tokens: Annotated[int, typer.Option("--max-new-tokens", min=1, help="Tokens of one test.")] = 256,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the sampling.")] = 0,
    probes: Annotated[
        int, typer.Option("--probes", min=0, help="Calls that look for equivalent mutants; 0: no estimate.")
    ] = 64,
    call_seconds: Annotated[
        float, typer.Option("--call-seconds", help="CPU seconds the function may take for one call.")
    ] = 1.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="JSON lines of results; goes on where it stopped.")
    ] = None,
    level: Annotated[
        Level | None, typer.Option("--level", help="Refuse to start below this isolation. [default: the best there is]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document instead of a table.")] = False,
) -> None:
    """Measure a Test LLM by the mutants its tests kill."""
    from a1kit.duel import Judge
    from a1kit.evaluation.rounds import RoundsReport, usable
    from a1kit.sandbox import LocalSandbox

    if bool(model) == (tests is not None):
        raise InputError("give either --model NAME, who writes the tests, or --tests FILE, which holds them")
    questions = _questions(data, problems, split, preset, limit)
    given = None if tests is None else _given(tests, questions)
    settings = {
        "data": str(data or problems), "split": split, "model": model, "tests": str(tests or ""), "rounds": rounds,
        "limit": limit, "black_box": black_box, "style": str(style or ""), "temperature": temperature,
        "top_p": top_p, "max_new_tokens": max_new_tokens, "seed": seed, "probes": probes,
        "call_seconds": call_seconds,
    }  # fmt: skip
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger(output, settings))
        sandbox = stack.enter_context(LocalSandbox(level=level))
        judge = Judge(sandbox, call_seconds=call_seconds, program_seconds=MUTANT_SECONDS)
        good, bad = usable(judge, questions)
        _refuse(bad, len(questions))
        write = _writer(stack, model, given, style, temperature, top_p, max_new_tokens, seed, black_box)
        _run(judge, good, write, rounds, probes, ledger, stack.enter_context(_progress(len(good))))
        done = [ledger.results[question.id] for question in good]
    report = RoundsReport(tuple(done), rounds)
    document = {"settings": settings, **summary(report), "left_out": bad, "tasks": [one.to_record() for one in done]}
    if as_json:
        print(json.dumps(document, indent=2))
    else:
        show(report, bad)


def _run(
    judge: Any, questions: Sequence[Question], write: Writer, rounds: int, probes: int, ledger: Ledger, progress: Any
) -> None:
    """Chunk by chunk. Which tasks share a chunk does not depend on what is done already, nor do the samples."""
    from a1kit.evaluation.rounds import judge_tests, play_rounds

    for start in range(0, len(questions), CHUNK):
        chunk = questions[start : start + CHUNK]
        if any(question.id not in ledger.results for question in chunk):
            written = play_rounds(judge, chunk, write, rounds)
            for result in judge_tests(judge, chunk, written, probes=probes):
                ledger.add(result)
        progress(len(chunk))


def _questions(data: Path | None, problems: str, split: str, preset: str, limit: int | None) -> list[Question]:
    from a1kit.problems import load
    from a1kit.problems.tables import read_table

    if (data is None) == (not problems):
        raise InputError("give either --data FILE or --problems NAME: the functions to write tests for")
    if data is None:
        found = load(problems, split=split or None)
    else:
        ours = "func_name" in read_table(data).columns if not preset else False
        found = load(data, preset=preset or ("unleakedtestbench" if ours else None))
    chosen = list(found)[:limit]
    if not chosen:
        raise InputError(f"{data or problems} holds no functions ({found.counts or 'it is empty'})")
    return chosen


def _given(path: Path, questions: Sequence[Question]) -> Mapping[str, Sequence[str]]:
    """Tests by task id, every one of which is a known task."""
    from a1kit.problems.tables import read_table

    known = {question.id for question in questions}
    found: dict[str, Sequence[str]] = {}
    for row in read_table(path).rows:
        if isinstance(row, InputError):
            raise row
        name, tests = str(row.get("id")), row.get("tests")
        if not isinstance(tests, list) or not all(isinstance(test, str) for test in tests):
            raise InputError(f'{row.where}: tests is {tests!r}; give a list of texts, ["assert f(1) == 2", …]')
        found[name] = tests
    if not known & found.keys():
        raise InputError(f"{path}: none of its ids is a task; tasks are named like {next(iter(known))!r}")
    return found


def _writer(
    stack: ExitStack,
    model: str,
    given: Mapping[str, Sequence[str]] | None,
    style: PromptStyle | None,
    temperature: float,
    top_p: float,
    max_new_tokens: int,
    seed: int,
    black_box: bool,
) -> Writer:
    from a1kit.evaluation.rounds import given_writer, model_writer
    from a1kit.policies import HFPolicy, PolicyConfig, Sampling

    if given is not None:
        return given_writer(given)
    policy = HFPolicy(PolicyConfig(model, name="tests", temperature=temperature or 1.0))
    stack.callback(policy.close)
    wording = style or (PromptStyle.MICRO if "micro" in Path(model).name else PromptStyle.A1)
    sampling = Sampling(temperature, top_p, max_new_tokens)
    return model_writer(policy, seed=seed, sampling=sampling, style=wording, black_box=black_box)


def _refuse(bad: Mapping[str, str], total: int) -> None:
    """More than one function in a hundred that cannot be judged: no score."""
    if 100 * len(bad) > total:
        first = "; ".join(f"{name}: {reason}" for name, reason in list(bad.items())[:5])
        raise InputError(
            f"{len(bad)} of {total} functions cannot be judged, more than 1 %, so nothing is scored. {first}"
            f"{' …' if len(bad) > 5 else ''}. Mend them, or leave them out of the file."
        )


class Ledger:
    """The output file: settings, then a line a task. Without a path nothing is kept.

    Raises `RunError` for a file that other settings wrote, or that is none of ours. A last line that was cut off by a
    kill is taken away.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, Any]) -> None:
        self.results: dict[str, TaskResult] = {}
        self._file: BinaryIO
        self._path, self._settings = path, dict(settings)

    def __enter__(self) -> Ledger:
        if self._path is None:
            return self
        try:
            whole = self._path.read_bytes() if self._path.exists() else b""
            kept = whole[: whole.rfind(b"\n") + 1]
            self._read(kept)
            self._file = self._path.open("r+b" if whole else "wb")
            self._file.truncate(len(kept))
            self._file.seek(len(kept))
        except OSError as error:
            raise InputError(f"cannot use {str(self._path)!r}: {error.strerror}; name a file elsewhere") from None
        if not kept:
            self._write({"settings": self._settings})
        return self

    def __exit__(self, *exception: object) -> None:
        if self._path is not None:
            self._file.close()

    def add(self, result: TaskResult) -> None:
        """Keep a result; it is on disk when this returns."""
        if result.id not in self.results:
            self.results[result.id] = result
            if self._path is not None:
                self._write(result.to_record())

    def _write(self, record: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()

    def _read(self, text: bytes) -> None:
        from a1kit.evaluation.rounds import TaskResult

        lines = text.splitlines()
        try:
            if lines and (found := json.loads(lines[0])["settings"]) != self._settings:
                other = ", ".join(key for key in self._settings if found.get(key) != self._settings[key])
                raise RunError(
                    f"{self._path} was written with other settings ({other}); name another file, or remove this one"
                )
            for line in lines[1:]:
                result = TaskResult.from_record(json.loads(line))
                self.results[result.id] = result
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{self._path} is no output of eval-tests ({error}); name another file") from None


def summary(report: RoundsReport) -> dict[str, Any]:
    """The scores as plain values: by k, and about equivalent mutants. Per cent; null where nothing could be counted."""
    rows = []
    for k in range(1, report.rounds + 1):
        rows.append(
            {
                "k": k,
                "pass": _plain(report.pass_at(k)),
                "mut": _plain(report.mut_at(k)),
                "mut_without_timeouts": _plain(report.mut_at(k, strict=True)),
                "timeouts": _plain(report.timeouts_at(k)),
                "unloadable": _plain(report.unloadable_at(k)),
                "mul": _plain(report.mul_at(k)),
            }
        )
    equal = report.equivalents()
    about = None if equal is None else {
        "survivors": equal.survivors, "least": equal.least, "most": equal.most, "estimate": round(equal.estimate, 2),
        "mut_without_equivalents": _plain(report.mut_without_equivalents()),
    }  # fmt: skip
    return {"scores": rows, "equivalents": about}


def show(report: RoundsReport, bad: Mapping[str, str]) -> None:
    """The scores as a table, and what must be said beside them."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    table = Table(title=f"test generation, {len(report.tasks)} functions, per cent [95 %]", title_justify="left")
    for name in ("k", "pass@k", "mut@k", "functions", "only timed out", "do not load", "pass·mut/100"):
        table.add_column(name, justify="right", no_wrap=True)
    for k in range(1, report.rounds + 1):
        mut, late, broken = report.mut_at(k), report.timeouts_at(k), report.unloadable_at(k)
        with_interval = [_cell(report.pass_at(k)), _cell(mut), _cell(report.mul_at(k))]
        shares = ["-" if math.isnan(share.mean) else f"{share.mean:.2f}" for share in (late, broken)]
        table.add_row(str(k), *with_interval[:2], str(mut.n), *shares, with_interval[2])
    console.print(table)
    console.print("mut@k counts mutants that only ran out of time, or do not load, as killed, as cosmic-ray does.")
    equal = report.equivalents()
    if equal is not None and equal.survivors:
        console.print(
            f"Equivalent mutants: of {equal.survivors} that survive every test, {equal.least} compile to the same "
            f"code; {equal.probes} calls tell all but {equal.most} from the original; estimate {equal.estimate:.0f}; "
            f"mut@{report.rounds} without these: {_cell(report.mut_without_equivalents())}"
        )
    faults = {task.id: task.fault for task in report.tasks if task.fault}
    for name, reason in {**bad, **faults}.items():
        console.print(f"left out: {name}: {reason}", markup=False)


def _cell(value: Estimate) -> str:
    return "-" if math.isnan(value.mean) else f"{value.mean:.2f} [{value.low:.1f}, {value.high:.1f}]"


def _plain(value: Estimate) -> dict[str, float | int | None]:
    numbers = {"mean": value.mean, "low": value.low, "high": value.high}
    return {**{key: None if math.isnan(one) else round(one, 6) for key, one in numbers.items()}, "n": value.n}


def _progress(total: int) -> AbstractContextManager[Any]:
    """A bar with the time left, or a line every half minute where there is no terminal; on standard error."""
    return _bar(total) if sys.stderr.isatty() else nullcontext(_lines(total))


@contextmanager
def _bar(total: int) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("functions"), BarColumn(), MofNCompleteColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("functions", total=total)
        yield lambda count: bar.advance(task, count)


def _lines(total: int) -> Any:
    started = said = time.monotonic()
    done = 0

    def step(count: int) -> None:
        nonlocal done, said
        done += count
        now = time.monotonic()
        if now - said > 30:
            said = now
            left = (now - started) / done * (total - done)
            print(f"{done} of {total} functions, {left / 60:.0f} min left", file=sys.stderr, flush=True)

    return step
