"""Figures of a run: pure functions from rows of metrics to `plotly` figures, with titles that state what happened.

    rows = read_metrics(folder)          # one mapping a step, names as in docs/data-schema.md
    co_evolution(rows)                   # the four curves one looks at first

A row lacks a name that did not exist in its step (a pass rate on history when nothing was recalled), and a curve simply
has no point there. One template serves all figures: Okabe and Ito's colours, which people with any common colour vision
tell apart, a transparent ground, and a dark variant. Zoom survives an update, because every figure sets `uirevision`.

Not handled: saving (use `figure.write_image`, which needs kaleido and a browser).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

Row = Mapping[str, Any]

CODE, TESTS, GOOD, WARN, QUIET = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#7F7F7F"
COLOURS = (CODE, TESTS, GOOD, WARN, "#CC79A7", "#56B4E9", "#F0E442", QUIET)

PHASES = ("write", "attack", "recall", "judge", "score", "remember", "learn_code", "learn_tests")

TITLE_WIDTH = 36
"""Characters of a title's line: what a phone shows."""

LABEL = 22
"""Characters of a question's name beside a figure."""

EMPTY = "Nothing to draw yet: the first step is not finished."


@cache
def template(dark: bool = False) -> go.layout.Template:
    """The look of every figure. Made once, since checking it costs more than drawing a curve."""
    ink, grid = ("#e7eaef", "#3b424e") if dark else ("#1c2330", "#d9dde3")
    axis = {"gridcolor": grid, "zerolinecolor": grid, "linecolor": grid, "ticks": "", "automargin": True}
    return go.layout.Template(
        layout={
            "font": {"family": "system-ui, sans-serif", "size": 13, "color": ink},
            "title": {
                "font": {"size": 14},
                "x": 0.02,
                "xref": "container",
                "xanchor": "left",
                "yanchor": "top",
                "y": 0.94,
            },
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(COLOURS),
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"orientation": "h", "yanchor": "top", "y": -0.24, "x": 0, "bgcolor": "rgba(0,0,0,0)"},
            "margin": {"l": 52, "r": 16, "t": 64, "b": 48},
            "hovermode": "x unified",
            "hoverlabel": {"font": {"size": 12}},
        }
    )  # fmt: skip


def rewards(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """Both models' mean rewards, and the two components of the Test LLM's (Paper eq. 2-4)."""
    figure = _figure(_rise(rows, "code/reward", "Code reward"), "reward (0 to 1)", dark)
    figure.add_trace(_line(rows, "code/reward", "Code LLM", CODE))
    figure.add_trace(_line(rows, "tests/reward", "Test LLM", TESTS))
    figure.add_trace(_line(rows, "tests/validity", "validity", GOOD, dash="dot"))
    figure.add_trace(_line(rows, "tests/adversity", "adversity", WARN, dash="dot"))
    return figure


def pass_rates(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """The candidates' pass rates on new and on replayed tests (Paper Fig. 4)."""
    figure = _figure(_rise(rows, "code/pass_new", "Pass rate on new tests"), "pass rate (0 to 1)", dark)
    figure.add_trace(_line(rows, "code/pass_new", "new tests", CODE))
    figure.add_trace(_line(rows, "code/pass_hist", "replayed tests", TESTS))
    return figure


def book_flow(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """Tests that entered and left the Mistake Book in each step, and its size (Paper Fig. 4)."""
    last = _last(rows, "book/size")
    figure = _figure("Mistake Book" + ("" if last is None else f": {last:,.0f} tests alive"), "tests a step", dark)
    figure.add_trace(_line(rows, "book/added", "entered", TESTS))
    figure.add_trace(_line(rows, "book/removed", "mastered", GOOD))
    figure.add_trace(_line(rows, "book/size", "alive (right axis)", QUIET, yaxis="y2", dash="dot"))
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "title": "tests alive", "showgrid": False})
    return figure


def suite_quality(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """How often suites are right, and how often one finds a fault in the candidate it attacks."""
    figure = _figure(_rise(rows, "tests/valid", "Tests right as written"), "share (0 to 1)", dark)
    figure.add_trace(_line(rows, "tests/valid", "right as written", GOOD))
    figure.add_trace(_line(rows, "tests/corrected", "corrected", WARN))
    figure.add_trace(_line(rows, "tests/dropped", "dropped", QUIET))
    figure.add_trace(_line(rows, "tests/kill_rate", "suites that find a fault", TESTS, dash="dot"))
    return figure


def learning(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """Groups without variance, which teach nothing, and the entropy that is left."""
    figure = _figure(_rise(rows, "code/flat_groups", "Code groups without variance"), "share of groups (0 to 1)", dark)
    figure.add_trace(_line(rows, "code/flat_groups", "flat, Code LLM", CODE))
    figure.add_trace(_line(rows, "tests/flat_groups", "flat, Test LLM", TESTS))
    figure.add_trace(_line(rows, "code/entropy", "entropy, Code LLM (right axis)", CODE, yaxis="y2", dash="dot"))
    figure.add_trace(_line(rows, "tests/entropy", "entropy, Test LLM (right axis)", TESTS, yaxis="y2", dash="dot"))
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "title": "nats a token", "showgrid": False})
    return figure


def time_split(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """Seconds of each step by phase, stacked."""
    mean = [value for row in rows if (value := row.get("seconds")) is not None]
    title = f"A step takes {sum(mean) / len(mean):.2f} s" if mean else EMPTY
    figure = _figure(title, "seconds", dark)
    for phase, colour in zip(PHASES, COLOURS, strict=True):
        points = [(row["step"], row[name]) for row in rows if (name := f"seconds/{phase}") in row]
        figure.add_trace(
            go.Bar(
                x=[x for x, _ in points], y=[y for _, y in points], name=phase.replace("_", " "), marker_color=colour
            )
        )
    steps = [row["step"] for row in rows[-3:]]
    width = steps[1] - steps[0] if len(steps) == 3 else 1  # a thinned row stands for a span of steps
    figure.update_traces(width=width)
    figure.update_layout(barmode="stack", bargap=0)
    return figure


def health(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """How far each model moves in an update (KL), and how long its completions are."""
    figure = _figure(_rise(rows, "code/length", "Tokens of a program"), "tokens a completion", dark)
    figure.add_trace(_line(rows, "code/length", "length, Code LLM", CODE))
    figure.add_trace(_line(rows, "tests/length", "length, Test LLM", TESTS))
    figure.add_trace(_line(rows, "code/kl", "KL, Code LLM (right axis)", CODE, yaxis="y2", dash="dot"))
    figure.add_trace(_line(rows, "tests/kl", "KL, Test LLM (right axis)", TESTS, yaxis="y2", dash="dot"))
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "title": "nats a token", "showgrid": False})
    return figure


def hacks(rows: Sequence[Row], seen: Mapping[str, str] = MappingProxyType({}), *, dark: bool = False) -> go.Figure:
    """How frequent each sign of reward hacking is (`a1kit.hacking`): the most frequent ones, a curve each.

    `seen` says for a metric's name where an example is; it is shown with the curve's points.
    """
    names = {name for row in rows for name in row if name.startswith("hacks/")}
    means = {name: sum(row.get(name, 0.0) for row in rows) / len(rows) for name in names}
    shown = sorted((name for name in names if means[name] > 0), key=lambda name: (-means[name], name))[: len(COLOURS)]
    title = "No signs of hacking" if names else EMPTY
    if shown:
        title = _rise(rows, shown[0], _sign(shown[0]).capitalize())
    figure = _figure(title, "share (0 to 1)", dark)
    for place, name in enumerate(shown):
        trace = _line(rows, name, _sign(name), COLOURS[place])
        if name in seen:
            trace.update(hovertemplate="%{y:.3f}, as in %{text}", text=[_safe(seen[name])] * len(trace.x))
        figure.add_trace(trace)
    figure.update_layout(showlegend=True)
    return figure


def forgetting(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """How present programs fare on tests that earlier ones failed, and how many mastered tests fail again."""
    figure = _figure(_rise(rows, "eval/refailed", "Mastered tests failed again"), "share (0 to 1)", dark)
    figure.add_trace(_line(rows, "eval/old_failures_passed", "old failures passed", GOOD))
    figure.add_trace(_line(rows, "eval/refailed", "mastered, failed again", TESTS))
    return figure


def faults(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """The share of held-out programs that show each kind of fault, in worlds that can tell from the text."""
    names = sorted({name for row in rows for name in row if name.startswith("eval/fault/")})
    title = _rise(rows, names[0], f"Programs with the fault {names[0].rpartition('/')[2]!r}") if names else EMPTY
    figure = _figure(title, "share of programs (0 to 1)", dark)
    for place, name in enumerate(names):
        figure.add_trace(_line(rows, name, name.rpartition("/")[2], COLOURS[place % len(COLOURS)]))
    figure.update_layout(showlegend=True)
    return figure


def overlay(runs: Mapping[str, Sequence[Row]], name: str, *, dark: bool = False) -> go.Figure:
    """One metric of several runs, a curve each."""
    figure = _figure(name if runs else "Choose runs to compare", "", dark)
    for place, (run, rows) in enumerate(runs.items()):
        figure.add_trace(_line(rows, name, _short(run), COLOURS[place % len(COLOURS)]))
    figure.update_layout(showlegend=True)
    return figure


def thinned(rows: Sequence[Row], most: int = 240) -> list[Row]:
    """At most `most` rows: means over spans of steps, each at its last step, so that a long run is quick to draw."""
    if len(rows) <= most:
        return list(rows)
    width = -(-len(rows) // most)
    return [mean_row(rows[start : start + width]) for start in range(0, len(rows), width)]


def mean_row(span: Sequence[Row]) -> Row:
    """The mean of every number over the rows that have it, at the last row's step."""
    values: dict[str, list[float]] = {}
    for row in span:
        for name, value in row.items():
            if isinstance(value, (int, float)):
                values.setdefault(name, []).append(value)
    return {name: sum(known) / len(known) for name, known in values.items()} | {"step": span[-1]["step"]}


def co_evolution(rows: Sequence[Row], *, dark: bool = False) -> go.Figure:
    """The four panels to look at first: held-out skill, rewards, pass rates, book."""
    panels = (
        ("held-out questions", {"eval/avg": ("code right", CODE), "eval/quality": ("tests: valid × kill", TESTS)}),
        ("rewards", {"code/reward": ("Code LLM", CODE), "tests/reward": ("Test LLM", TESTS)}),
        ("pass rates", {"code/pass_new": ("new tests", CODE), "code/pass_hist": ("replayed", TESTS)}),
        ("Mistake Book, tests a step", {"book/added": ("entered", TESTS), "book/removed": ("mastered", GOOD)}),
    )
    figure = make_subplots(2, 2, subplot_titles=[title for title, _ in panels], vertical_spacing=0.2)
    for place, (_, curves) in enumerate(panels):
        for name, (label, colour) in curves.items():
            trace = _line(rows, name, label, colour)
            trace.update(legend=f"legend{place + 1}" if place else "legend")
            figure.add_trace(trace, row=place // 2 + 1, col=place % 2 + 1)
    steps = max((row["step"] for row in rows), default=0)
    gain = _ends(rows, "eval/avg")
    title = f"{steps} steps" if gain is None else f"Held-out code right: {gain[0]:.0%} → {gain[1]:.0%} in {steps} steps"
    figure.update_layout(
        template=template(dark),
        title=title,
        height=620,
        uirevision="run",
        margin={"t": 84},
        **{
            f"legend{place + 1}" if place else "legend": {
                "x": 0.56 * (place % 2), "y": 0.545 if place < 2 else -0.07, "yanchor": "top", "orientation": "h",
            }
            for place in range(4)
        },
    )  # fmt: skip
    figure.update_xaxes(title="step", row=2)
    figure.update_yaxes(rangemode="tozero")
    return figure


def heat_map(
    questions: Sequence[str], steps: Sequence[int], values: Sequence[Sequence[float | None]], *, dark: bool = False
) -> go.Figure:
    """Pass rates on new tests of questions (rows, the hardest first) over spans of steps; blank where not asked.

    steps    the first step of each span;  values  one row a question, one value a span, 0 to 1 or None
    """
    known = [rate for rate in (values[0] if values else ()) if rate is not None]
    title = f"Hardest: {_short(questions[0])}, {sum(known) / len(known):.0%} of new tests passed" if known else EMPTY
    figure = _figure(title, "", dark)
    figure.add_trace(
        go.Heatmap(
            z=[list(row) for row in values],
            x=[f"{step}" for step in steps],
            y=list(range(len(questions))),
            customdata=[[name] * len(steps) for name in questions],
            zmin=0,
            zmax=1,
            colorscale="Cividis",
            xgap=1,
            ygap=1,
            hoverongaps=False,
            colorbar={"title": {"text": "passed"}, "tickformat": ".0%", "thickness": 12},
            hovertemplate="%{customdata}<br>from step %{x}: %{z:.0%} passed<extra></extra>",
        )
    )
    figure.update_layout(hovermode="closest", height=160 + 18 * max(6, len(questions)))
    figure.update_xaxes(type="category", nticks=10)
    # By place and not by label: two long names may be cut to the same label.
    labels = [name if len(name) <= LABEL else f"…{name[1 - LABEL :]}" for name in questions]
    figure.update_yaxes(
        autorange="reversed", tickvals=list(range(len(questions))), ticktext=labels, tickfont={"size": 11},
        rangemode="normal",
    )  # fmt: skip
    return figure


def life_line(moves: Sequence[tuple[int, int]], *, dark: bool = False) -> go.Figure:
    """The counter of one test over steps: (step, counter after a move), in order."""
    last = moves[-1] if moves else None
    title = EMPTY if last is None else f"Count {last[1]} at step {last[0]}" + ("" if last[1] else ": mastered")
    figure = _figure(title, "count", dark)
    start = [(moves[0][0], 0)] if moves else []
    points = [*start, *moves]
    figure.add_trace(
        go.Scatter(
            x=[step for step, _ in points],
            y=[count for _, count in points],
            mode="lines+markers",
            line={"color": TESTS, "shape": "hv", "width": 2},
            hovertemplate="count %{y} after step %{x}<extra></extra>",
        )
    )
    figure.update_layout(hovermode="closest", height=260, uirevision=f"{moves[:1]}")
    return figure


def _sign(name: str) -> str:
    return name.removeprefix("hacks/").replace("_", " ")


def _safe(text: str) -> str:
    """Text as text: plotly reads some HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def suite_matrix(
    shares: Sequence[Sequence[float | None]],
    right: Sequence[bool],
    winner: int,
    *,
    name: str = "",
    dark: bool = False,
) -> go.Figure:
    """Best-of-n on one question: the share of each suite's tests (columns) that each candidate (rows) passes.

    right    whether a candidate passes the benchmark's own tests;  winner  the row that passes the most distinct tests
    """
    suites = len(shares[0]) if shares else 0
    verdict = "right" if shares and right[winner] else "wrong"
    title = f"{_short(name)}: candidate {winner + 1} wins and is {verdict}".removeprefix(": ") if shares else EMPTY
    figure = _figure(title, "", dark)
    marks = ["✓" if ok else "✗" for ok in right]
    labels = [f"{'▶ ' if row == winner else ''}{row + 1} {mark}" for row, mark in enumerate(marks)]
    figure.add_trace(
        go.Heatmap(
            z=[list(row) for row in shares],
            x=[str(number + 1) for number in range(suites)],
            y=labels,
            zmin=0,
            zmax=1,
            colorscale="Cividis",
            xgap=1,
            ygap=1,
            hoverongaps=False,
            colorbar={"title": {"text": "passed"}, "tickformat": ".0%", "thickness": 12},
            hovertemplate="candidate %{y}, suite %{x}: %{z:.0%} of its tests passed<extra></extra>",
        )
    )
    figure.update_layout(hovermode="closest", height=160 + 18 * max(6, len(shares)))
    figure.update_xaxes(type="category", nticks=16, title="suite")
    figure.update_yaxes(type="category", autorange="reversed", title="candidate", rangemode="normal")
    return figure


def best_of_curve(
    means: Sequence[float],
    lows: Sequence[float],
    highs: Sequence[float],
    any_right: Sequence[float] = (),
    *,
    dark: bool = False,
) -> go.Figure:
    """Best-of-n over n = 1 … M with its interval, under the ceiling pass@n (some candidate is right)."""
    title = f"Best of {len(means)}: {means[0]:.1%} → {means[-1]:.1%}" if means else EMPTY
    figure = _figure(title, "share of questions solved", dark)
    numbers = list(range(1, len(means) + 1))
    figure.add_trace(
        go.Scatter(
            x=numbers,
            y=list(means),
            name="the tests choose",
            mode="lines+markers",
            line={"color": CODE, "width": 2},
            error_y={
                "symmetric": False,
                "array": [high - mean for high, mean in zip(highs, means, strict=True)],
                "arrayminus": [mean - low for low, mean in zip(lows, means, strict=True)],
                "thickness": 1,
            },
            hovertemplate="best of %{x}: %{y:.1%}<extra></extra>",
        )
    )
    if any_right:
        figure.add_trace(
            go.Scatter(
                x=numbers,
                y=list(any_right),
                name="pass@n: an oracle chooses",
                mode="lines",
                line={"color": QUIET, "width": 2, "dash": "dot"},
                hovertemplate="pass@%{x}: %{y:.1%}<extra></extra>",
            )
        )
    figure.update_xaxes(title="candidates to choose from (n)", nticks=9)
    figure.update_yaxes(tickformat=".0%")
    return figure


# -- parts -------------------------------------------------------------------------------------------------------------


def _figure(title: str, unit: str, dark: bool) -> go.Figure:
    figure = go.Figure()
    figure.update_layout(
        template=template(dark),
        title="<br>".join(textwrap.wrap(title, TITLE_WIDTH)),
        xaxis={"title": {"text": "step", "standoff": 4}},
        yaxis={"title": unit, "rangemode": "tozero"},
        uirevision="run",
        height=340,
    )
    return figure


def _short(name: str) -> str:
    return name if len(name) <= LABEL else f"{name[: LABEL - 1]}…"


def _line(rows: Sequence[Row], name: str, label: str, colour: str, **options: Any) -> go.Scatter:
    points = list(_points(rows, name))
    sparse = len(points) <= 12
    dash = options.pop("dash", "solid")
    return go.Scatter(
        x=[step for step, _ in points],
        y=[value for _, value in points],
        name=label,
        mode="lines+markers" if sparse else "lines",
        line={"color": colour, "dash": dash, "width": 2},
        marker={"size": 6},
        hovertemplate="%{y:.3f}",
        **options,
    )


def _points(rows: Iterable[Row], name: str) -> Iterable[tuple[int, float]]:
    return ((row["step"], row[name]) for row in rows if row.get(name) is not None)


def _ends(rows: Sequence[Row], name: str) -> tuple[float, float] | None:
    points = list(_points(rows, name))
    return (points[0][1], points[-1][1]) if len(points) > 1 else None


def _last(rows: Sequence[Row], name: str) -> float | None:
    points = list(_points(rows, name))
    return points[-1][1] if points else None


def _rise(rows: Sequence[Row], name: str, subject: str) -> str:
    """A title: what the curve did. Ends are means of the first and the last tenth, so that one step does not decide."""
    values = [value for _, value in _points(rows, name)]
    if not values:
        return EMPTY
    tenth = max(1, len(values) // 10)
    first, last = sum(values[:tenth]) / tenth, sum(values[-tenth:]) / tenth
    if abs(last - first) < 0.01:
        return f"{subject} stayed at {last:.2f}"
    return f"{subject} {'rose' if last > first else 'fell'} from {first:.2f} to {last:.2f}"
