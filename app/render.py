"""Records to HTML: pure functions, one a thing that is shown. Everything model-written passes through `visible`.

`visible` makes text safe to *read*, not only safe to embed: control characters, terminal escapes and the Unicode marks
that reorder text are replaced by what they are called, so that a program cannot look different from what it is.
Embedding is safe because every string is escaped here, and nowhere else in the app is markup put together. Braces,
dollar signs and backticks are escaped too: the page's HTML component fills templates, and no text of a model may become
one.

Not handled: layout on paper, and colours beyond those of `app/style.css`, which has both a light and a dark set.
"""

from __future__ import annotations

import difflib
import html
import re
import statistics
import unicodedata
from collections.abc import Sequence

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from a1kit.rewards import Convention, Rules
from a1kit.types import Duel, JudgedTest, Load, Outcome, Question, State, Suite

LONGEST_TEXT = 20_000
"""Characters of one model-written text that are shown; the rest is counted."""

LONGEST_LINE = 400

MARKS = {
    Outcome.PASSED: ("✓", "passed"),
    Outcome.WRONG: ("✗", "wrong answer"),
    Outcome.RAISED: ("!", "raised an exception"),
    Outcome.TIMEOUT: ("⏱", "too slow"),
    Outcome.CRASHED: ("☠", "crashed"),
    Outcome.MEMORY: ("▦", "out of memory"),
    Outcome.REFUSED: ("⛔", "blocked by the sandbox"),
}
STATES = {
    State.VALID: "valid: the prediction was right",
    State.CORRECTED: "corrected: the prediction was wrong, the oracle's answer replaced it",
    State.MALFORMED: "malformed: not a test of the function",
    State.REPEATED: "repeated: the same call as an earlier test of the suite",
    State.RAISED: "dropped: the reference raises on this call",
    State.TIMEOUT: "dropped: the reference is too slow on this call",
    State.UNSTABLE: "dropped: the reference disagrees with itself",
    State.UNSUPPORTED: "dropped: the result cannot be written as Python source",
    State.EXTRA: "extra: beyond the tests that were asked for",
}

_TEMPLATE = {ord(sign): f"&#{ord(sign)};" for sign in "{}$`"}

_NAMED = re.compile(
    r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]"
    r"|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def visible(text: str, limit: int = LONGEST_TEXT) -> str:
    """`text` with everything that could hide or reorder it named, and cut to `limit` characters with a note."""
    cut = len(text) - limit
    shown = _NAMED.sub(lambda match: f"⟦{_name(match[0])}⟧", text[:limit].replace("\r\n", "\n"))
    lines = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} … {len(line) - LONGEST_LINE:,} more characters"
        for line in shown.split("\n")
    ]
    if cut > 0:
        lines.append(f"… {cut:,} more characters are in the run's files")
    return "\n".join(lines)


def _name(character: str) -> str:
    return unicodedata.name(character, f"U+{ord(character):04X}")


def escape(text: str, limit: int = LONGEST_TEXT) -> str:
    """Text for between tags or inside a quoted attribute."""
    return _no_template(html.escape(visible(text, limit), quote=True))


def _no_template(markup: str) -> str:
    return markup.translate(_TEMPLATE)


def code(source: str, label: str) -> str:
    """Python source, highlighted. `label` is what a screen reader calls it."""
    body = highlight(visible(source), PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    return f'<pre class="a1-code" tabindex="0" aria-label="{escape(label)}"><code>{_no_template(body)}</code></pre>'


def note(text: str, kind: str = "info") -> str:
    """A sentence for an empty or failed state."""
    return f'<p class="a1-note a1-{escape(kind)}" role="status">{escape(text)}</p>'


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """A unified diff of two programs."""
    lines = difflib.unified_diff(
        visible(before).splitlines(), visible(after).splitlines(), names[0], names[1], n=50, lineterm=""
    )
    kinds = {"+": "add", "-": "del", "@": "at"}
    rows = [
        f'<span class="a1-{kinds.get(line[:1], "same")}">{_no_template(html.escape(line))}</span>' for line in lines
    ]
    if not rows:
        return note("These two programs are the same, character for character.")
    return f'<pre class="a1-code a1-diff" tabindex="0" aria-label="difference"><code>{chr(10).join(rows)}</code></pre>'


def verdict_grid(duel: Duel, chosen: tuple[int, int] | None = None) -> str:
    """The suites of a duel as rows of small cells, one a test: colour and sign say the verdict, shape the state.

    Each cell is a link `#suite-test` with the whole story as its accessible name.
    """
    if not duel.suites:
        return note("No suite attacked this candidate.")
    width = max(len(suite.tests) for suite in duel.suites)
    head = "".join(f"<th scope='col'>{number + 1}</th>" for number in range(width))
    body = "".join(_grid_row(place, suite, width, chosen) for place, suite in enumerate(duel.suites))
    return (
        '<div class="a1-scroll" tabindex="0" role="region" aria-label="suites and tests">'
        '<table class="a1-grid"><thead><tr>'
        f"<th scope='col'>suite</th>{head}<th scope='col'>valid</th><th scope='col'>adversity</th>"
        f"<th scope='col'>reward</th></tr></thead><tbody>{body}</tbody></table></div>"
    )


def legend(duel: Duel) -> str:
    """What the signs of the grid mean, each with how many tests of this duel it stands for."""
    counts: dict[tuple[str, str, str], int] = {}
    for suite in duel.suites:
        for test in suite.tests:
            kind = test.verdict.outcome.value if test.verdict else "dropped"
            words = MARKS[test.verdict.outcome][1] if test.verdict else test.state.value
            if test.state is State.CORRECTED:
                words += ", corrected"
            key = (kind, words, test.state.value)
            counts[key] = counts.get(key, 0) + 1
    items = "".join(
        f'<li><span class="a1-cell a1-{kind} a1-state-{state}" aria-hidden="true">'
        f"{MARKS[Outcome(kind)][0] if kind != 'dropped' else '·'}</span> {words}: {count}</li>"
        for (kind, words, state), count in sorted(counts.items(), key=lambda entry: -entry[1])
    )
    return f'<ul class="a1-legend" aria-label="tests by verdict">{items}</ul>' if items else ""


def _grid_row(place: int, suite: Suite, width: int, chosen: tuple[int, int] | None) -> str:
    cells = "".join(
        f"<td>{_cell(place, number, test, chosen == (place, number))}</td>" for number, test in enumerate(suite.tests)
    )
    empty = "<td></td>" * (width - len(suite.tests))
    numbers = "".join(f"<td class='a1-number'>{x:.2f}</td>" for x in (suite.validity, suite.adversity, suite.reward))
    return f"<tr><th scope='row'>{place + 1}</th>{cells}{empty}{numbers}</tr>"


def _cell(suite: int, number: int, test: JudgedTest, chosen: bool) -> str:
    sign, story = told(test)
    kind = test.verdict.outcome.value if test.verdict else "dropped"
    classes = f"a1-cell a1-{kind} a1-state-{test.state.value}" + (" a1-chosen" if chosen else "")
    name = escape(f"suite {suite + 1}, test {number + 1}: {story}. {test.source}", 300)
    return (
        f'<button type="button" class="{classes}" data-suite="{suite}" data-test="{number}" title="{name}" '
        f'aria-label="{name}">{sign}</button>'
    )


def told(test: JudgedTest) -> tuple[str, str]:
    """(sign, words) for what became of a test."""
    if test.verdict is None:
        return "·", STATES[test.state]
    sign, words = MARKS[test.verdict.outcome]
    return sign, f"{words} ({test.state.value})"


def test_story(test: JudgedTest) -> str:
    """One test opened: what was written, predicted, true, got, and why."""
    _, words = told(test)
    rows = [
        ("verdict", escape(words)),
        ("state", escape(STATES[test.state])),
        ("written", code(test.test.source, "the test as it was written")),
    ]
    if test.kept and test.source != test.test.source:
        rows.append(("played", code(test.source, "the test as it was played")))
    for name, value in (("predicted", test.predicted), ("oracle", test.oracle)):
        if value is not None:
            rows.append((name, code(value, name)))
    if test.verdict is not None and test.verdict.got is not None:
        rows.append(("got", code(test.verdict.got, "the candidate's answer")))
    why = " ".join(filter(None, (test.detail, test.verdict.detail if test.verdict else "")))
    if why:
        rows.append(("why", escape(why, 2000)))
    return _facts(rows)


def _facts(rows: Sequence[tuple[str, str]]) -> str:
    body = "".join(f"<dt>{html.escape(name)}</dt><dd>{value}</dd>" for name, value in rows)
    return f'<dl class="a1-facts">{body}</dl>'


def replay_table(history: Sequence[JudgedTest]) -> str:
    """The replayed tests of a duel, one a row."""
    if not history:
        return note("Nothing was replayed: the Mistake Book had no test of this question.")
    rows = "".join(
        f"<tr><td class='a1-{test.verdict.outcome.value if test.verdict else 'dropped'}'>{told(test)[0]}</td>"
        f"<td>{code(test.source, 'replayed test')}</td>"
        f"<td>{escape(test.verdict.got or test.verdict.detail, 300) if test.verdict else ''}</td></tr>"
        for test in history
    )
    return (
        '<div class="a1-scroll" tabindex="0" role="region" aria-label="replayed tests"><table class="a1-table">'
        "<thead><tr><th scope='col'>verdict</th><th scope='col'>test</th><th scope='col'>got</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def rewards(duel: Duel, rules: Rules) -> str:
    """Both rewards written out with the numbers of this duel (Paper eq. 2-4)."""
    if duel.load is not Load.OK:
        return note(f"The candidate did not load ({duel.load.value}: {duel.load_detail}), so every reward is 0.", "bad")
    passes = [sum(test.passed for test in suite.kept) / len(suite.kept) for suite in duel.suites if suite.kept]
    lines = [_code_formula(duel, passes)]
    lines += [_suite_formula(place, suite, rules, duel.pass_hist) for place, suite in enumerate(duel.suites)]
    items = "".join(f"<li>{line}</li>" for line in lines)
    words = (
        "counted against the K tests asked for"
        if rules.convention is Convention.RELEASE
        else "counted against the kept tests"
    )
    return f'<ul class="a1-formula">{items}</ul><p class="a1-quiet">K = {rules.k}, α = {rules.alpha:g}, {words}.</p>'


def _code_formula(duel: Duel, passes: Sequence[float]) -> str:
    new = sum(passes) / len(duel.suites) if duel.suites else 0.0
    if duel.pass_hist is None:
        return f"<b>Code LLM</b> {duel.reward:.3f} = mean pass rate on new tests"
    return f"<b>Code LLM</b> {duel.reward:.3f} = (replayed {duel.pass_hist:.3f} + new {new:.3f}) / 2" + (
        "" if abs((duel.pass_hist + new) / 2 - duel.reward) < 5e-4 else ", suites without a kept test aside"
    )


def _suite_formula(place: int, suite: Suite, rules: Rules, pass_hist: float | None) -> str:
    failed = sum(not test.passed for test in suite.kept)
    history = "" if pass_hist is None else f", replayed {pass_hist:.3f}"
    return (
        f"<b>suite {place + 1}</b> {suite.reward:.3f} = {rules.alpha:g} · validity {suite.validity:.3f} + "
        f"{1 - rules.alpha:g} · adversity {suite.adversity:.3f} "
        f"<span class='a1-quiet'>({failed} of {len(suite.kept)} kept tests failed{history})</span>"
    )


def question(asked: Question) -> str:
    """The text of a question."""
    return f'<div class="a1-note"><b>{escape(asked.entry_point, 200)}</b> {escape(asked.prompt)}</div>'


def candidate(duel: Duel) -> str:
    """The program that was run, with what the judge noticed about it."""
    flags = f"<p class='a1-quiet'>noticed: {escape(', '.join(duel.flags), 500)}</p>" if duel.flags else ""
    if duel.load is not Load.OK:
        flags = note(f"does not load: {duel.load.value}. {duel.load_detail}", "bad") + flags
    return code(duel.code or duel.completion.text, "the candidate") + flags


def rivals(duels: Sequence[Duel], shown: int, chosen: Sequence[bool]) -> str:
    """The candidates of one question side by side: reward, σ of the suites' rewards, and whether TopVar chose them."""
    rows = "".join(
        f"<tr><th scope='row'>{number}{' (shown)' if number == shown else ''}</th>"
        f"<td class='a1-number'>{duel.reward:.3f}</td><td class='a1-number'>{_sigma(duel)}</td>"
        f"<td>{'teaches the Test LLM' if taught else ''}</td></tr>"
        for number, (duel, taught) in enumerate(zip(duels, chosen, strict=True))
    )
    return (
        '<div class="a1-scroll" tabindex="0" role="region" aria-label="candidates of this question">'
        "<table class='a1-table'><thead><tr><th scope='col'>candidate</th><th scope='col'>reward</th>"
        f"<th scope='col'>σ</th><th scope='col'>TopVar</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _sigma(duel: Duel) -> str:
    return f"{statistics.pstdev(suite.reward for suite in duel.suites):.3f}" if duel.suites else "–"


def tiles(facts: Sequence[tuple[str, str]]) -> str:
    """Short facts side by side: (what, value)."""
    body = "".join(f"<div class='a1-tile'>{escape(name)}<b>{escape(value)}</b></div>" for name, value in facts)
    return f'<div class="a1-tiles" role="status">{body}</div>'
