"""`a1kit eval`: how often a Code LLM is right; avg@n and pass@k with intervals over questions.

    a1kit eval micro --model micro-code -n 8 -k 1 -k 4
    a1kit eval humaneval --model smollm2-135m -n 4 --limit 40
    a1kit eval humaneval+ --data humanevalplus_mbppplus.parquet --completions samples.jsonl --mode evalplus-official
    a1kit eval tasks.jsonl --model ./checkpoint --tester ./tester --suites 16 --html matrix.html      # and best-of-n

Benchmarks: micro, classic, humaneval, humaneval+, mbpp+, bigcodebench, or a file or hub:owner/name of your own.
Completions and verdicts go to the output file as they come, and the same command goes on where an interrupted one
stopped. Nothing is scored while more than 1 % of the reference solutions fail their own tests.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from a1kit.errors import InputError
from a1kit.sandbox.protocol import Level

if TYPE_CHECKING:
    from a1kit.evaluation import Estimate
    from a1kit.evaluation.benchmarks import Benchmark
    from a1kit.evaluation.best_of import Selection
    from a1kit.evaluation.modes import Mode
    from a1kit.evaluation.scoring import Report, Scored, Writer
    from a1kit.policies import Policy, Sampling

FOLDER = Path("evals")


def command(
    benchmark: Annotated[
        str,
        typer.Argument(
            metavar="BENCHMARK",
            help="micro, classic, humaneval, humaneval+, mbpp+, bigcodebench, a file, or hub:owner/name.",
        ),
    ],
    model: Annotated[str, typer.Option("--model", "-m", help="The Code LLM: folder, GGUF, hub or known name.")] = "",
    completions: Annotated[
        Path | None, typer.Option("--completions", help="Or completions written elsewhere: JSON lines.")
    ] = None,
    n: Annotated[int | None, typer.Option("-n", min=1, help="Candidates a question. [default: 8]")] = None,
    k: Annotated[list[int] | None, typer.Option("-k", min=1, help="pass@k; repeatable. [default: 1 and n]")] = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode", help="a1-paper, a1-primed, evalplus-official or micro. [default: micro for micro models]"
        ),
    ] = "",
    data: Annotated[Path | None, typer.Option("--data", help="The benchmark's file instead of the Hub.")] = None,
    preset: Annotated[str | None, typer.Option("--preset", help="Format of a file of your own.")] = None,
    column: Annotated[
        list[str] | None, typer.Option("--column", metavar="OURS=THEIRS", help="Names of its columns; repeatable.")
    ] = None,
    split: Annotated[str | None, typer.Option("--split", help="One split of the set.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many questions.")] = None,
    without_failing: Annotated[
        bool, typer.Option("--without-failing", help="Leave questions out whose own reference fails.")
    ] = False,
    temperature: Annotated[float, typer.Option("--temperature", min=0.0, help="0 is greedy.")] = 0.7,
    top_p: Annotated[float, typer.Option("--top-p", min=0.01, max=1.0, help="Nucleus sampling.")] = 0.95,
    max_new_tokens: Annotated[
        int | None, typer.Option("--max-new-tokens", min=1, help="Tokens of a candidate. [default: 512; micro: 160]")
    ] = None,
    batch: Annotated[int | None, typer.Option("--batch", min=1, help="Questions written at once.")] = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="What all chance comes from.")] = 0,
    seconds: Annotated[float, typer.Option("--seconds", help="CPU seconds of a candidate with all its tests.")] = 10.0,
    tester: Annotated[str, typer.Option("--tester", help="Best-of-n: the Test LLM that writes suites.")] = "",
    suites: Annotated[int, typer.Option("--suites", min=1, help="Suites a question, black-box.")] = 16,
    html: Annotated[Path | None, typer.Option("--html", help="Best-of-n as a page: the curve and heat maps.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Completions and verdicts. [default: evals/….jsonl]")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Programs at once.")] = None,
    level: Annotated[
        Level | None, typer.Option("--level", help="Refuse to start below this isolation. [default: the best there is]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines: one a question, then the report.")] = False,
) -> None:
    """Measure a Code LLM."""
    from a1kit.evaluation.benchmarks import find_benchmark
    from a1kit.evaluation.examiner import Examiner
    from a1kit.evaluation.ledger import Ledger
    from a1kit.evaluation.modes import Mode, mode_of
    from a1kit.evaluation.scoring import score
    from a1kit.evaluation.scoring import without_failing as drop_failing
    from a1kit.evaluation.sealed import Rule
    from a1kit.policies import Sampling
    from a1kit.sandbox import LocalSandbox

    _check_options(model, completions, tester, html)
    chosen = mode_of(mode) if mode else Mode.MICRO if "micro" in Path(model).name else Mode.A1_PAPER
    found = find_benchmark(
        benchmark, data=data, split=split, preset=preset, columns=_columns(column or []), limit=limit
    )
    tokens = max_new_tokens or (160 if chosen is Mode.MICRO else 512)
    sampling = Sampling(temperature, top_p, tokens)
    at_once = batch or (32 if chosen is Mode.MICRO else 1)
    with ExitStack() as stack:
        sandbox = stack.enter_context(LocalSandbox(level=level, workers=jobs, preload=("numpy", *found.packages)))
        rule = Rule.EVALPLUS if chosen is Mode.EVALPLUS else Rule.PROGRAM
        examiner = Examiner(sandbox, rule=rule, seconds=seconds)
        if without_failing:
            found = drop_failing(found, examiner)
        writer = _writer(stack, model, completions, found, n, chosen, seed, sampling)
        settings = {
            "benchmark": found.name, "questions": _digest(found), "model": model, "completions": _content(completions),
            "mode": chosen.value, "n": writer.n, "seed": seed, "batch": at_once, "seconds": seconds,
            **({} if completions else {"temperature": temperature, "top_p": top_p, "max_new_tokens": tokens}),
        }  # fmt: skip
        ks = _ks(k, writer.n)
        path = output or FOLDER / f"{_slug(found.name, model or str(completions), chosen, seed)}.jsonl"
        ledger = stack.enter_context(Ledger(path, settings))
        if ledger.resumed:
            print(f"going on with {path}", file=sys.stderr)
        if ledger.references is None:
            print(f"checking the {len(found.questions)} reference solutions", file=sys.stderr)
        progress = stack.enter_context(_progress(len(found.questions)))
        report = score(found, writer, examiner, ledger, mode=chosen, batch=at_once, listen=_listener(progress, as_json))
        selections = _best_of(stack, sandbox, report, ledger, writer, chosen, tester, suites, seed, sampling)
    if html is not None:
        _write_page(html, selections, report)
    if as_json:
        document = {"event": "report", "mode": chosen.value, "output": str(path), **report.to_dict(ks)}
        if selections:
            document["best_of"] = _best_of_dict(selections)
        print(json.dumps(document))
    else:
        show(report, ks, chosen, path, selections)


def _check_options(model: str, completions: Path | None, tester: str, html: Path | None) -> None:
    if bool(model) == (completions is not None):
        raise InputError("give either --model NAME, who writes the candidates, or --completions FILE, which holds them")
    if html is not None and not tester:
        raise InputError("--html shows best-of-n; say with --tester NAME who writes the suites")


def _columns(pairs: Sequence[str]) -> dict[str, str] | None:
    columns = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not equals or not ours or not theirs:
            raise InputError(f"--column {pair!r} is not OURS=THEIRS, as in --column prompt=question")
        columns[ours.strip()] = theirs.strip()
    return columns or None


def _ks(wanted: Sequence[int] | None, n: int) -> list[int]:
    ks = sorted(set(wanted or (1, n)))
    if ks[-1] > n:
        raise InputError(f"pass@{ks[-1]} needs at least {ks[-1]} candidates a question, and there are {n}; raise -n")
    return ks


def _writer(
    stack: ExitStack,
    model: str,
    completions: Path | None,
    found: Benchmark,
    n: int | None,
    mode: Mode,
    seed: int,
    sampling: Sampling,
) -> Writer:
    from a1kit.evaluation.recorded import RecordedWriter
    from a1kit.evaluation.scoring import PolicyWriter

    if completions is not None:
        return RecordedWriter(completions, found.questions, n)
    return PolicyWriter(_policy(stack, model, "code", sampling), n or 8, mode, seed=seed, sampling=sampling)


def _policy(stack: ExitStack, model: str, name: str, sampling: Sampling) -> Policy:
    from a1kit.policies import HFPolicy, PolicyConfig

    policy = HFPolicy(PolicyConfig(model, name=name, temperature=sampling.temperature or 1.0))
    stack.callback(policy.close)
    return policy


def _digest(found: Benchmark) -> str:
    """Which questions they are, tests included."""
    digest = sha256()
    for question in found.questions:
        for part in (question.id, question.prompt, question.meta.get("check", ""), *question.golden):
            digest.update(str(part).encode(errors="surrogatepass") + b"\0")
    return f"{len(found.questions)}:{digest.hexdigest()[:16]}"


def _content(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}; give a file of JSON lines") from None


def _slug(name: str, model: str, mode: Mode, seed: int) -> str:
    parts = (re.sub(r"[^A-Za-z0-9.+]+", "-", Path(part).name).strip("-") for part in (name, model))
    return f"{'-'.join(parts)}-{mode.value}-{seed}"


# -- best of n ---------------------------------------------------------------------------------------------------------


def _best_of(
    stack: ExitStack,
    sandbox: Any,
    report: Report,
    ledger: Any,
    writer: Writer,
    mode: Mode,
    tester: str,
    suites: int,
    seed: int,
    sampling: Sampling,
) -> list[Selection]:
    """Suites for every question and the candidates that they choose; [] without a tester."""
    if not tester:
        return []
    from a1kit.duel import Judge
    from a1kit.evaluation.best_of import select, write_suites
    from a1kit.evaluation.scoring import answers_of
    from a1kit.prompts import PromptStyle
    from a1kit.types import Outcome

    micro = "micro" in Path(tester).name
    style, batch = (PromptStyle.MICRO, 32) if micro else (PromptStyle.A1, 1)
    policy, judge = _policy(stack, tester, "tests", sampling), Judge(sandbox)
    questions = [one.question for one in report.questions]
    written = write_suites(
        policy, questions, ledger, tester=tester, count=suites, k=judge.rules.k, style=style, batch=batch, seed=seed,
        sampling=sampling,
    )  # fmt: skip
    texts = {name: rows for record in ledger.written.values() for name, rows in record["texts"].items()}
    codes = [[one.code for one in answers_of([question], writer, texts, mode)] for question in questions]
    right = [[outcome is Outcome.PASSED for outcome in one.outcomes] for one in report.questions]
    return select(judge, questions, codes, right, written)


def _best_of_dict(selections: Sequence[Selection]) -> dict[str, Any]:
    from a1kit.evaluation.best_of import curve

    return {
        "curve": [
            {"n": n, "mean": one.mean, "low": one.low, "high": one.high} for n, one in enumerate(curve(selections), 1)
        ],
        "questions": [
            {
                "id": one.question.id,
                "winner": one.winner,
                "winner_is_right": one.right[one.winner],
                "scores": list(one.scores),
                "right": list(one.right),
                "distinct_tests": len(one.tests),
                "matrix": [list(row) for row in one.matrix],
            }
            for one in selections
        ],
    }


def _write_page(path: Path, selections: Sequence[Selection], report: Report) -> None:
    """The curve and a heat map a question, in one page that needs no network."""
    from a1kit.evaluation.best_of import curve

    try:
        from a1kit import figures
    except ImportError:
        raise InputError("--html needs plotly: pip install plotly") from None
    points = curve(selections)
    ceiling = [report.code.pass_at(n).mean for n in range(1, len(points) + 1)]
    made = [
        figures.best_of_curve([p.mean for p in points], [p.low for p in points], [p.high for p in points], ceiling),
        *(figures.suite_matrix(one.matrix, one.right, one.winner, name=one.question.id) for one in selections),
    ]
    parts = [one.to_html(full_html=False, include_plotlyjs=place == 0) for place, one in enumerate(made)]
    page = f"<!doctype html><meta charset='utf-8'><title>best of n</title>\n{''.join(parts)}"
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}; name a file in a writable folder") from None


# -- what people see ---------------------------------------------------------------------------------------------------


def show(report: Report, ks: Sequence[int], mode: Mode, path: Path, selections: Sequence[Selection]) -> None:
    """One row a question, the numbers, and what must be said beside them."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, side in (("question", "left"), ("passes", "right"), ("sealed", "left"), ("first failure", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for one in report.questions:
        table.add_row(
            Text(_printable(one.question.id)),
            f"{one.passes}/{report.n}",
            "yes" if one.sealed else "no",
            Text(_printable(_first_failure(one))[:60]),
        )
    console.print(table)
    rows = [(f"avg@{report.n}", report.code.avg), *((f"pass@{k}", report.code.pass_at(k)) for k in ks)]
    for name, value in rows:
        console.print(f"{name:>8}  {_cell(value)}")
    for line in _remarks(report, mode):
        console.print(line, markup=False)
    if selections:
        for n, value in enumerate(_best_of_dict(selections)["curve"], 1):
            console.print(
                f"best of {n:<3} {100 * value['mean']:.1f} % [{100 * value['low']:.1f}, {100 * value['high']:.1f}]",
                markup=False,
            )
    console.print(f"completions and verdicts: {path}", markup=False)


def _remarks(report: Report, mode: Mode) -> Iterator[str]:
    yield f"{report.benchmark.name}, {len(report.questions)} questions, mode {mode}, 95 % intervals over questions"
    if report.unsealed:
        yield f"unsealed: {len(report.unsealed)} questions, whose tests share a process with the candidate"
    for name, reason in report.failed_references.items():
        yield f"the reference of {name} fails its own tests ({reason[:80]}); it stays in the count"
    for reason, count in report.benchmark.left_out.items():
        yield f"left out: {count} ({reason})"
    if report.benchmark.missing:
        yield f"not installed: {', '.join(report.benchmark.missing)}"
    if report.unfinished:
        yield f"{report.unfinished} completions were cut by the length limit"
    if report.tokens and report.write_seconds > 0:
        yield f"{report.tokens} tokens written, {report.tokens / report.write_seconds:.1f} a second"


def _first_failure(one: Scored) -> str:
    for outcome, detail in zip(one.outcomes, one.details, strict=True):
        if outcome != "passed":
            return f"{outcome}: {detail}" if detail else outcome.value
    return ""


def _printable(text: str) -> str:
    """Control characters, which could drive the terminal, become spaces."""
    return "".join(char if char.isprintable() else " " for char in text)


def _cell(value: Estimate) -> str:
    if math.isnan(value.mean):
        return "-"
    return f"{100 * value.mean:.2f} % \\[{100 * value.low:.1f}, {100 * value.high:.1f}]"


def _listener(progress: Callable[[Scored], None], as_json: bool) -> Callable[[Scored], None]:
    def listen(one: Scored) -> None:
        progress(one)
        if as_json:
            record: Mapping[str, Any] = {
                "event": "question", "id": one.question.id, "passes": one.passes, "n": len(one.outcomes),
                "outcomes": [outcome.value for outcome in one.outcomes], "sealed": one.sealed,
                "done": one.done, "total": one.total, "seconds_left": None if one.left is None else round(one.left),
            }  # fmt: skip
            print(json.dumps(record), flush=True)

    return listen


def _progress(total: int) -> AbstractContextManager[Callable[[Scored], None]]:
    """A bar with the time left, or a line every half minute where there is no terminal; on standard error."""
    return _bar(total) if sys.stderr.isatty() else nullcontext(_lines())


@contextmanager
def _bar(total: int) -> Iterator[Callable[[Scored], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("questions"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("questions", total=total, left="")
        yield lambda one: bar.update(task, completed=one.done, left=_left(one))


def _lines() -> Callable[[Scored], None]:
    said = time.monotonic()

    def step(one: Scored) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said > 30:
            said = now
            print(f"{one.done} of {one.total} questions{_left(one)}", file=sys.stderr, flush=True)

    return step


def _left(one: Scored) -> str:
    return "" if one.left is None else f", {one.left / 60:.1f} min left"
