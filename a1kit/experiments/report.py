"""The report of an experiment: tables laid out like the paper's, figures, claims and their answers, what it cost.

    report.md       Markdown, with figures as SVG beside it where kaleido and a browser are there
    report.html     one self-contained page, with figures that can be looked into
    numbers.json    every value behind it

Nothing in it is typed: sentences name numbers that are computed from the run folders, and the claims' answers are those
of `a1kit.experiments.claims`.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from a1kit import figures
from a1kit.experiments.claims import Answer, Finding, answers
from a1kit.experiments.grid import MANIFEST
from a1kit.experiments.results import LATE, MEASURES, Results, Spread, read
from a1kit.experiments.suites import FULL
from a1kit.store.files import make_folder, write_text_whole
from a1kit.store.run_log import read_manifest

REPORT, PAGE, NUMBERS, IMAGES = "report.md", "report.html", "numbers.json", "figures"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption; the first column is text, the others numbers as text."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with the name of its file."""

    name: str
    caption: str
    figure: go.Figure


@dataclass(frozen=True, slots=True)
class Report:
    """Everything the two documents say."""

    title: str
    opening: tuple[str, ...]
    answers: tuple[Answer, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]
    closing: tuple[str, ...]


def write(folder: Path, *, command: str = "", also: Path | None = None) -> tuple[Path, Path]:
    """Write the report of a grid's folder into it; the paths of the Markdown and the page.

    also   a second place for the Markdown (`docs/findings.md`); its figures go to a folder beside it
    """
    results = read(folder)
    made = compose(results, command)
    for text in (folder / REPORT, also) if also else (folder / REPORT,):
        _write_markdown(made, text)
    write_text_whole(folder / PAGE, to_html(made))
    write_text_whole(folder / NUMBERS, json.dumps(_numbers(results), indent=1))
    return folder / REPORT, folder / PAGE


def _write_markdown(made: Report, path: Path) -> None:
    images = path.parent / (IMAGES if path.name == REPORT else f"{path.stem}-{IMAGES}")
    make_folder(path.parent)
    write_text_whole(path, to_markdown(made, _write_images(images, made.pictures)))


def write_comparison(results: Results, folder: Path) -> tuple[Path, Path]:
    """The report of any runs (`a1kit.experiments.comparison`): every measure, every difference from the first row."""
    names = [setting.name for setting in results.settings]
    opening = (
        f"{counted(len(results.runs), 'run')} in {counted(len(names), 'row')}; each value is the mean of the evaluations at three quarters "
        "and at the end of a run, with a 95 % t-interval over the seeds of a row.",
    )
    tables = (
        _measured(results, "On held-out questions", names, tuple(MEASURES)),
        _measured(results, "Late in training: means over the last quarter", names, tuple(LATE)),
        _against(results, names[0]),
    )
    closing = tuple(f"{run.cell.setting.title}, seed {run.cell.seed}: `{run.cell.folder}`" for run in results.runs)
    made = Report("Runs side by side", opening, (), tables, tuple(_overlays(results, {"runs": names}, least=1)), closing)
    _write_markdown(made, folder / REPORT)
    write_text_whole(folder / PAGE, to_html(made))
    return folder / REPORT, folder / PAGE


def compose(results: Results, command: str = "") -> Report:
    """The report as data."""
    suite = results.suite
    seeds = len({run.cell.seed for run in results.runs})
    opening = [
        f"{counted(len(results.runs), 'run')} of the preset `{suite.preset}`: {counted(len(results.settings), 'setting')}, "
        f"{counted(seeds, 'seed')}. "
        "Numbers are means over seeds with 95 % t-intervals, each the mean of the evaluations at three quarters and at "
        "the end of a run, on questions that no training saw. Differences are taken seed by seed against the full "
        "method (paired t-test, two-sided).",
    ]
    if suite.changes:
        opening.append(f"Changed in every run: `{json.dumps(dict(suite.changes))}`.")
    if results.missing:
        names = ", ".join(cell.name for cell in results.missing[:10])
        more = f" and {len(results.missing) - 10} more" if len(results.missing) > 10 else ""
        opening.append(f"**Missing: {counted(len(results.missing), 'run')}**: {names}{more}.")
    if command:
        opening.append(f"Made by `{command}`.")
    return Report(
        f"What the {suite.name} suite says on {suite.preset}",
        tuple(opening),
        answers(results),
        tuple(_tables(results)),
        tuple(_pictures(results)),
        tuple(_cost(results)),
    )


# -- tables ------------------------------------------------------------------------------------------------------------


def _tables(results: Results) -> Iterable[Table]:
    everything = [setting.name for setting in results.settings]
    yield _measured(
        results,
        "Code on held-out questions, by method (the paper's Table 1)",
        _there(results, ("start", "golden", "self_play", "static_tests", "mixed", FULL)),
        ("eval/avg", "eval/greedy", "eval/old_failures_passed", "eval/refailed"),
    )
    yield _measured(
        results,
        "Suites on wrong programs of held-out questions, by method (the paper's Table 2)",
        _there(results, ("start", "sft_tester", "self_play", FULL)),
        ("eval/validity", "eval/kill_rate", "eval/quality", "eval/kill_rate_hidden"),
    )
    ablations = ("no_prediction", "black_box", "no_mistake_book", "topvar_random", "topvar_all", "convention_paper")
    yield _measured(
        results,
        "Ablations (the paper's Table 3)",
        _there(results, (FULL, *ablations)),
        ("eval/avg", "eval/validity", "eval/kill_rate", "eval/quality", "eval/refailed"),
    )
    yield _measured(
        results,
        "Static tests by author, for golden training (the paper's Table 4)",
        _there(results, ("golden", "static_tests", "static_sft", "static_trained", FULL)),
        ("eval/avg", "eval/greedy"),
    )
    yield _measured(
        results,
        "Weight on validity",
        _there(results, ("alpha_0", "alpha_25", "alpha_50", "alpha_75", "alpha_100", FULL)),
        ("eval/avg", "eval/validity", "eval/kill_rate", "eval/quality", "code/reward"),
    )
    yield _measured(results, "Late in training: means over the last quarter", everything, tuple(LATE))
    yield _against(results, FULL)


def counted(number: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _there(results: Results, names: Iterable[str]) -> list[str]:
    return [name for name in names if name == "start" or results.has(name)]


def _title(results: Results, name: str) -> str:
    if name == "start":
        return "before training"
    return next(setting.title for setting in results.suite.settings if setting.name == name)


def _measured(results: Results, caption: str, names: Sequence[str], measures: Sequence[str]) -> Table:
    """One row a setting, one column a measure that somebody has."""
    words = {**MEASURES, **LATE}
    cells = {(name, measure): results.spread(name, measure) for name in names for measure in measures}
    there = [measure for measure in measures if any(cells[name, measure] for name in names)]
    rows = [(_title(results, name), *(_cell(cells[name, measure]) for measure in there)) for name in names]
    return Table(caption, ("setting", *(words[measure] for measure in there)), tuple(rows))


def _cell(value: Spread | None) -> str:
    return "–" if value is None else str(value)


def _against(results: Results, reference: str) -> Table:
    """Every setting minus one of them."""
    rows = []
    for setting in results.settings:
        if setting.name == reference:
            continue
        row = [setting.title]
        for measure in ("eval/avg", "eval/quality"):
            found = results.compare(setting.name, reference, measure)
            row += ["–", "–"] if found is None else [str(found.difference), _p(found.p)]
        rows.append(tuple(row))
    whose = _title(results, reference)
    columns = (f"setting minus {whose}", MEASURES["eval/avg"], "p", MEASURES["eval/quality"], "p ")
    return Table(f"Differences from {whose}, paired by seed", columns, tuple(rows))


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


# -- figures -----------------------------------------------------------------------------------------------------------


def _pictures(results: Results) -> Iterable[Picture]:
    full = [run.rows for run in results.of(FULL)]
    if full:
        rows = mean_rows(full)
        yield Picture(
            "rewards", "Both rewards of the full method over training, mean over seeds.", figures.rewards(rows)
        )
        yield Picture(
            "pass_rates",
            "Pass rates on new and on replayed tests, mean over seeds (the paper's Figure 4).",
            figures.pass_rates(rows),
        )
        yield Picture(
            "book", "Tests that enter and leave the Mistake Book, mean over seeds (Figure 4).", figures.book_flow(rows)
        )
        if any("eval/refailed" in row for row in rows):
            caption = "Old failures of the full method, mean over seeds."
            yield Picture("forgetting", caption, figures.forgetting(rows))
        if any(name.startswith("eval/fault/") for row in rows for name in row):
            caption = "Faults of held-out programs of the full method, mean over seeds."
            yield Picture("faults", caption, figures.faults(rows))
    groups = {
        "methods": ("full", "golden", "self_play", "static_tests", "static_trained", "mixed", "frozen_tester"),
        "ablations": ("full", "no_mistake_book", "black_box", "no_prediction", "topvar_random", "topvar_all"),
        "alpha": ("full", "alpha_0", "alpha_25", "alpha_50", "alpha_75", "alpha_100"),
    }
    yield from _overlays(results, groups)


def _overlays(results: Results, groups: Mapping[str, Sequence[str]], *, least: int = 2) -> Iterable[Picture]:
    """Curves of settings over each other, a figure a group (of at least so many) and measure."""
    held_out = {one.title: mean_rows([run.rows for run in results.of(one.name)]) for one in results.settings}
    for name, members in groups.items():
        chosen = [_title(results, member) for member in members if results.has(member)]
        if len(chosen) < least:
            continue
        for measure in ("eval/avg", "eval/kill_rate", "eval/refailed"):
            drawn = {title: [row for row in held_out[title] if measure in row] for title in chosen}
            drawn = {title: rows for title, rows in drawn.items() if rows}
            if drawn:
                words = MEASURES[measure]
                caption = f"{words.capitalize()} by setting ({name}), mean over seeds (the paper's Figures 3 and 5)."
                yield Picture(f"{name}-{measure.partition('/')[2]}", caption, figures.overlay(drawn, measure))


def mean_rows(runs: Sequence[Sequence[figures.Row]]) -> list[figures.Row]:
    """Rows of metrics as means over runs, step by step; a name is there when some run has it in that step."""
    steps: dict[int, list[figures.Row]] = {}
    for rows in runs:
        for row in rows:
            steps.setdefault(int(row["step"]), []).append(row)
    return [figures.mean_row(rows) for _, rows in sorted(steps.items())]


def _write_images(folder: Path, pictures: Sequence[Picture]) -> dict[str, str]:
    """Picture -> its file, relative to the report. Empty where kaleido or its browser is missing."""
    try:
        import kaleido  # noqa: F401
    except ModuleNotFoundError:
        return {}
    make_folder(folder)
    written: dict[str, str] = {}
    for picture in pictures:
        path = folder / f"{picture.name}.svg"
        try:
            picture.figure.write_image(path, width=760, height=380)
        except (RuntimeError, ValueError, OSError):
            return written  # no browser: the page has the figures all the same
        written[picture.name] = f"{folder.name}/{path.name}"
    return written


# -- what it cost ------------------------------------------------------------------------------------------------------


def _cost(results: Results) -> Iterable[str]:
    seconds = sum(run.seconds for run in results.runs)
    longest = max(run.seconds for run in results.runs)
    yield f"All runs together took {_duration(seconds)}, each on one core; the longest {_duration(longest)}."
    manifest = read_manifest(results.runs[0].cell.folder)
    known = [f"begun {manifest['created']}"] if "created" in manifest else []
    if manifest.get("git"):
        known.append(f"commit {manifest['git'].get('commit')}")
    if manifest.get("host"):
        known.append(f"{manifest['host'].get('machine')} with {manifest['host'].get('cores')} cores")
    packages = manifest.get("packages", {})
    versions = ", ".join(f"{name} {packages[name]}" for name in sorted(packages)) if isinstance(packages, dict) else ""
    yield "Of the first run: " + "; ".join([*known, *([versions] if versions else [])]) + "."
    yield f"What was run is in `{MANIFEST}`, each run's configuration in its `config.yaml`, all numbers in `{NUMBERS}`."


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def _numbers(results: Results) -> dict[str, Any]:
    return {
        **results.suite.to_dict(),
        "runs": [
            {
                "setting": run.cell.setting.name,
                "seed": run.cell.seed,
                "seconds": round(run.seconds, 1),
                "start": dict(run.start),
                "values": dict(run.values),
                "readings": {str(step): dict(values) for step, values in run.readings.items()},
            }
            for run in results.runs
        ],
        "claims": [
            {"number": one.claim.number, "sentence": one.claim.sentence, "finding": one.finding.value, **_compared(one)}
            for one in answers(results)
        ],
    }


def _compared(one: Answer) -> dict[str, Any]:
    if one.comparison is None:
        return {}
    found = one.comparison
    numbers = {"difference": found.difference.mean, "low": found.difference.low, "high": found.difference.high}
    return {**numbers, "p": found.p, "detectable": found.detectable, "seeds": len(found.difference.values)}


# -- as text -----------------------------------------------------------------------------------------------------------


def _claim_rows(report: Report) -> Table:
    rows = []
    for one in report.answers:
        found = one.comparison
        numbers = ("–", "–", "–")
        if found is not None:
            numbers = (str(found.difference), _p(found.p), f"{found.detectable:.3f}")
        rows.append((f"({one.claim.number}) {one.claim.sentence}", one.finding.value, one.claim.measure, *numbers))
    columns = ("claim", "finding", "measured by", "difference", "p", "could be seen")
    return Table("Claims", columns, tuple(rows))


_LEGEND = (
    "A claim is *reproduced* when the interval of its difference lies above 0, *not reproduced* when it does not and "
    "excludes an effect worth talking about, otherwise *undecided at this power*; the last column says how large a "
    "difference so many seeds would have found four times out of five. Numbers are the paper's qualitative claims as "
    "listed in docs/method.md, letters are further questions."
)


def to_markdown(report: Report, images: Mapping[str, str]) -> str:
    """The report as Markdown; figures are linked where they were written."""
    parts = [f"# {report.title}", *report.opening]
    if report.answers:
        parts += ["## Claims", _LEGEND, _table_markdown(_claim_rows(report))]
        found = {finding: sum(one.finding is finding for one in report.answers) for finding in Finding}
        parts.append(", ".join(f"{count} {finding.value}" for finding, count in found.items() if count) + ".")
    parts.append("## Tables")
    for table in report.tables:
        if table.rows:
            parts += [f"**{table.caption}**", _table_markdown(table)]
    parts.append("## Figures")
    for picture in report.pictures:
        if picture.name in images:
            parts += [f"![{picture.caption}]({images[picture.name]})", picture.caption]
    if not images:
        parts.append(f"They are in `{PAGE}` (files beside this text need the package kaleido and a browser).")
    return "\n\n".join([*parts, "## Cost and provenance", *report.closing]) + "\n"


def _table_markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.strip().replace("|", "\\|") for cell in cells) + " |"

    marks = "| " + " | ".join(["---", *["---:"] * (len(table.columns) - 1)]) + " |"
    return "\n".join([line(table.columns), marks, *map(line, table.rows)])


_STYLE = """
:root { color-scheme: light dark; --good: #00734f; --bad: #b3350a; }
@media (prefers-color-scheme: dark) { :root { --good: #35c796; --bad: #ff9a73; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; }
caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }
th, td { padding: 0.3rem 0.7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
figure { margin: 1.5rem 0; background: #fff; border-radius: 8px; padding: 0.5rem; }
figcaption { color: #444; padding: 0 0.5rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
"""
_CLASSES = {Finding.REPRODUCED.value: "good", Finding.NOT_REPRODUCED.value: "bad"}


def to_html(report: Report) -> str:
    """The report as one page that needs nothing from elsewhere."""
    parts = [f"<h1>{html.escape(report.title)}</h1>", *map(_paragraph, report.opening)]
    if report.answers:
        parts += ["<h2>Claims</h2>", _paragraph(_LEGEND), _table_html(_claim_rows(report))]
    parts.append("<h2>Tables</h2>")
    parts += [_table_html(table) for table in report.tables if table.rows]
    parts.append("<h2>Figures</h2>")
    script: str | bool = True
    for picture in report.pictures:
        drawn = picture.figure.to_html(
            full_html=False, include_plotlyjs=script, default_height="380px", config={"responsive": True}
        )
        script = False
        parts.append(f"<figure>{drawn}<figcaption>{html.escape(picture.caption)}</figcaption></figure>")
    parts += ["<h2>Cost and provenance</h2>", *map(_paragraph, report.closing)]
    title = html.escape(report.title)
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{_STYLE}</style>"
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _paragraph(text: str) -> str:
    """Markdown's stars and backticks are all that the sentences use."""
    escaped = html.escape(text)
    for mark, tag in (("**", "strong"), ("*", "em"), ("`", "code")):
        pieces = escaped.split(mark)
        if len(pieces) % 2:
            escaped = "".join(
                piece if place % 2 == 0 else f"<{tag}>{piece}</{tag}>" for place, piece in enumerate(pieces)
            )
    return f"<p>{escaped}</p>"


def _table_html(table: Table) -> str:
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.columns)
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="{_CLASSES[cell]}">{html.escape(cell)}</td>'
            if cell in _CLASSES
            else f"<td>{html.escape(cell)}</td>"
            for cell in row
        )
        + "</tr>"
        for row in table.rows
    )
    caption = f"<caption>{html.escape(table.caption)}</caption>"
    return f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
