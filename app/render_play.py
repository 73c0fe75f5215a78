"""Records to HTML for the Play and Attacks views; the rules of `a1kit_app.render` hold here too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from a1kit.rewards import Rules
from a1kit.sandbox.corpus import HostileProgram
from a1kit.types import Duel, JudgedTest, Load, State
from a1kit_app import render

STAGES = ("write", "attack", "validate", "play", "score")

_TOLD = {
    "write": "The Code LLM reads the question and writes a candidate.",
    "attack": "The Test LLM reads question and candidate and writes suites of tests that should break it.",
    "validate": "The reference answers every call. A test with a wrong prediction is corrected, a useless one dropped.",
    "play": "The candidate answers the calls that were kept. It never sees what is expected of it.",
    "score": "Both are paid: the candidate for what it passed, a suite for being right and for being hard.",
}

_RULINGS = {
    "contained": ("✓", "passed", "not fooled"),
    "false PASS": ("✗", "wrong", "false pass"),
    "crash": ("☠", "crashed", "the judge died"),
    "hang": ("⏱", "timeout", "the judge hung"),
    "not run": ("·", "dropped", "not run"),
}


def steps_bar(at: int) -> str:
    """The five stages of a duel, the current one marked."""
    here = ' aria-current="step"'
    items = "".join(f"<li{here if place == at else ''}>{place + 1} {name}</li>" for place, name in enumerate(STAGES))
    return f'<ol class="a1-stages" aria-label="stages of a duel">{items}</ol>'


def stage(duel: Duel, at: int, rules: Rules) -> str:
    """One stage of a recorded duel, large enough for the back of a room."""
    name = STAGES[at]
    body: str = {
        "write": lambda: render.question(duel.question) + render.candidate(duel),
        "attack": lambda: _written(duel),
        "validate": lambda: _validated(duel),
        "play": lambda: render.candidate(duel) + render.verdict_grid(duel),
        "score": lambda: render.rewards(duel, rules),
    }[name]()
    return f'{steps_bar(at)}<div class="a1-stage"><p>{_TOLD[name]}</p>{body}</div>'


def _written(duel: Duel) -> str:
    if not duel.suites:
        return render.note("No suite attacked this candidate.")
    suites = "".join(
        f"<h4>suite {place + 1}</h4>{render.code(suite.completion.text or '(nothing)', f'suite {place + 1}')}"
        for place, suite in enumerate(duel.suites)
    )
    return f'<div class="a1-columns">{suites}</div>'


def _validated(duel: Duel) -> str:
    if duel.load is not Load.OK:
        return render.note(f"The candidate does not load: {duel.load.value}. {duel.load_detail}", "bad")
    rows = "".join(
        f"<tr><th scope='row'>{place + 1}</th><td>{render.code(test.test.source, 'the test as it was written')}</td>"
        f"<td>{_state(test)}</td><td>{_value(test.predicted)}</td><td>{_value(test.oracle)}</td></tr>"
        for place, suite in enumerate(duel.suites)
        for test in suite.tests
    )
    return (
        '<div class="a1-scroll" tabindex="0" role="region" aria-label="tests and what the reference says">'
        "<table class='a1-table'><thead><tr><th scope='col'>suite</th><th scope='col'>test</th>"
        "<th scope='col'>becomes</th><th scope='col'>predicted</th><th scope='col'>reference</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _state(test: JudgedTest) -> str:
    kind = "passed" if test.state is State.VALID else "timeout" if test.kept else "dropped"
    why = f" <span class='a1-quiet'>{render.escape(test.detail, 200)}</span>" if test.detail else ""
    return f"<span class='a1-chip a1-{kind}'>{render.escape(test.state.value)}</span>{why}"


def _value(source: str | None) -> str:
    return "" if source is None else f"<code>{render.escape(source, 300)}</code>"


def attack_table(
    programs: Sequence[HostileProgram], results: Mapping[str, Mapping[str, Any]], chosen: str | None = None
) -> str:
    """One row an attack: what the naive judge said, what ours said, what has to hold. Its name runs it."""
    rows = "".join(_attack_row(program, results.get(program.name), program.name == chosen) for program in programs)
    return (
        '<div class="a1-scroll a1-tall" tabindex="0" role="region" aria-label="attacks">'
        "<table class='a1-table'><thead><tr><th scope='col'>attack</th><th scope='col'>naive judge</th>"
        f"<th scope='col'>a1kit</th><th scope='col'>what must hold</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _attack_row(program: HostileProgram, result: Mapping[str, Any] | None, chosen: bool) -> str:
    name = render.escape(program.name.replace("_", " "))
    mark = " class='a1-row-chosen'" if chosen else ""
    return (
        f"<tr{mark}><th scope='row'><button type='button' class='a1-link' data-attack='{render.escape(program.name)}'>"
        f"{name}</button></th>{_rulings(result)}<td>{render.escape(program.sentence)}</td></tr>"
    )


def _rulings(result: Mapping[str, Any] | None) -> str:
    if result is None:
        return "<td></td><td></td>"
    naive = result["naive"]
    theirs = _chip(str(naive)) if naive else "<span class='a1-quiet'>not run here</span>"
    story = f" <span class='a1-quiet'>{render.escape(str(result['story']), 300)}</span>"
    return f"<td>{theirs}</td><td>{_chip(str(result['ours']))}{story}</td>"


def _chip(ruling: str) -> str:
    sign, kind, words = _RULINGS.get(ruling, ("✗", "wrong", ruling))
    return f"<span class='a1-chip a1-{kind}'>{sign} {render.escape(words)}</span>"


def attack_source(program: HostileProgram) -> str:
    """The program of an attack, with what it is asked and what would be right."""
    calls = "\n".join(dict.fromkeys(call.expression for call in program.calls))
    parts = [
        f"<p class='a1-note'>{render.escape(program.sentence)}</p>",
        render.code(program.source, "the attacking program"),
        f"<h4>calls</h4>{render.code(calls, 'the calls it is asked')}" if calls else "",
        f"<h4>what would be right</h4>{render.code(program.reference, 'the reference')}" if program.reference else "",
    ]
    return "".join(parts)


def attack_facts(results: Mapping[str, Mapping[str, Any]], of: int) -> list[tuple[str, str]]:
    """The tally as tiles."""
    naive = [result["naive"] for result in results.values() if result["naive"]]
    ours = [result["ours"] for result in results.values() if result["ours"] != "not run"]
    return [
        ("attacks run", f"{len(results)} of {of}"),
        ("naive judge fooled, crashed or hung", f"{sum(one != 'contained' for one in naive)} of {len(naive)}"),
        ("a1kit fooled or harmed", f"{sum(one != 'contained' for one in ours)} of {len(ours)}"),
    ]
