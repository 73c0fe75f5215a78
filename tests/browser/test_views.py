"""Every view in a real browser: what it shows, in both themes, on a phone, and to somebody who does not see it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"

PHONE = 390

SECONDS = 60_000
"""How long anything may take to appear, in ms: the machine may be busy with other tests."""


def go(page: Any, *names: str) -> None:
    """Open a tab, and a tab inside it."""
    for name in names:
        tab = page.get_by_role("tab", name=name, exact=True)
        if not tab.is_visible():  # on a phone, tabs that do not fit are behind a button
            page.get_by_label("More tabs").locator("visible=true").nth(names.index(name)).click()
            tab = page.locator(".overflow-dropdown button", has_text=name).locator("visible=true")
        tab.click()


def settled(page: Any) -> None:
    """Wait until nothing on the page is pending."""
    page.wait_for_function("() => !document.querySelector('.pending, .generating')", timeout=SECONDS)
    page.wait_for_timeout(400)


VIEWS: dict[tuple[str, ...], str] = {
    ("Overview",): ".js-plotly-plot",
    ("Duel",): ".a1-cell",
    ("Mistake Book",): "table",
    ("Play", "Face the tester"): ".cm-content",
    ("Play", "Break a program"): ".cm-content",
    ("Play", "Watch a duel"): ".a1-stages",
    ("Attacks",): ".a1-link",
}
"""Where to go, and what must be there."""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_view_is_readable_and_axe_finds_no_serious_violation(
    recorded: Any, open_page: Callable[..., Any], dark: bool
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    page = open_page(recorded.address, dark=dark)
    found: dict[str, list[str]] = {}
    for names in walk(page, dark):
        result = axe.run(page, context={"exclude": [[".js-plotly-plot"]]}, options=_RULES)
        for violation in result.response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [f"{node['target']} {node['html'][:160]}" for node in violation["nodes"][:3]]
                found[f"{'/'.join(names)}: {violation['id']}"] = nodes
    assert found == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_on_a_phone_no_view_is_wider_than_the_screen(recorded: Any, open_page: Callable[..., Any], dark: bool) -> None:
    page = open_page(recorded.address, width=PHONE, dark=dark)
    widths = {names: page.evaluate("document.documentElement.scrollWidth") for names in walk(page, dark)}
    assert {names: width for names, width in widths.items() if width > PHONE} == {}


_RULES = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}


def walk(page: Any, dark: bool) -> Iterator[tuple[str, ...]]:
    """Go to every view, wait for its content, and keep a picture of it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    width = page.viewport_size["width"]
    for names, content in VIEWS.items():
        go(page, *names)
        page.locator(f"{content}:visible").first.wait_for(timeout=SECONDS)
        settled(page)
        name = "-".join(names).lower().replace(" ", "-")
        page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{'dark' if dark else 'light'}.png", full_page=True)
        yield names


def test_a_link_opens_the_same_duel(recorded: Any, open_page: Callable[..., Any]) -> None:
    duel = recorded.shelf.step("demo", 3).record.duels[8]
    page = open_page(f"{recorded.address}?run=demo&step=3&question={duel.question.id}&candidate=2")
    page.locator(".a1-cell:visible").first.wait_for(timeout=SECONDS)
    settled(page)
    shown = [
        page.get_by_label(name, exact=True).locator("visible=true").first.input_value()
        for name in ("run", "step", "question", "candidate")
    ]
    assert shown == ["demo", "3", duel.question.id, "2"]


@pytest.mark.parametrize("run", ["../../../etc", "<img src=x onerror=alert(1)>"])
def test_a_link_to_no_run_shows_one_that_is_there(recorded: Any, open_page: Callable[..., Any], run: str) -> None:
    page = open_page(f"{recorded.address}?run={run}&step=-5&question=%2e%2e%2f&candidate=zz")
    page.locator(".a1-cell:visible").first.wait_for(timeout=SECONDS)
    assert page.get_by_label("run", exact=True).locator("visible=true").first.input_value() == "demo"
    assert "root:" not in page.content()


def test_a_program_that_holds_is_told_apart_from_one_that_breaks(recorded: Any, open_page: Callable[..., Any]) -> None:
    page = open_page(recorded.address)
    go(page, "Play", "Face the tester")
    settled(page)
    choose(page, "opponent", "recorded tests")
    write(page, 0, "def f(xs):\n    ys = [x for x in xs if x < 0]\n    return max(ys) - min(ys) if ys else 0\n")
    page.get_by_role("button", name="Let it attack").click()
    page.get_by_text(re.compile("You held against .* agree that it is right")).wait_for(timeout=SECONDS)
    assert page.locator(".a1-tile:visible", has_text="rounds won").inner_text().endswith("1 of 1")
    write(page, 0, "def f(xs):\n    return 0\n")
    page.get_by_role("button", name="Let it attack").click()
    page.get_by_text(re.compile("tests broke your program")).wait_for(timeout=SECONDS)
    page.locator(".a1-cell.a1-wrong:visible").first.click()
    page.locator(".a1-facts:visible").wait_for(timeout=SECONDS)
    assert page.locator(".a1-tile:visible", has_text="rounds won").inner_text().endswith("1 of 2")


def test_the_filtered_tests_are_exported_to_a_file_that_pytest_runs(
    recorded: Any, open_page: Callable[..., Any], tmp_path: Path
) -> None:
    page = open_page(recorded.address)
    go(page, "Mistake Book")
    page.locator("table:visible").first.wait_for(timeout=SECONDS)
    page.get_by_label("test contains").locator("visible=true").fill("f([0")
    page.get_by_label("test contains").locator("visible=true").press("Enter")
    settled(page)
    opener = page.get_by_role("button", name=re.compile("Export")).locator("visible=true")
    if not page.get_by_role("button", name="Make the file").is_visible():
        opener.click()
    page.get_by_role("button", name="Make the file").click()
    link = page.locator("a[download]:visible").first
    link.wait_for(timeout=SECONDS)
    with page.expect_download() as waiting:
        link.click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    text = file.read_text()
    assert file.name.startswith("test_") and "f([0" in text
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(file)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    said = page.locator(".a1-note:visible", has_text="tests.").last.inner_text()
    count = int(said.split()[0].replace(",", ""))
    assert count > 0
    passed = re.search(r"(\d+) passed", ran.stdout)
    assert passed is not None and int(passed[1]) == count, ran.stdout[-2000:]
    assert ran.returncode == 0


def test_markup_in_a_program_is_shown_as_text(recorded: Any, open_page: Callable[..., Any]) -> None:
    page = open_page(recorded.address)
    go(page, "Play", "Face the tester")
    settled(page)
    choose(page, "opponent", "recorded tests")
    hostile = (
        "<img src=x onerror=\\\"document.title='owned'\\\"><script>document.title='owned'</script>\\u202e\\x1b[31m"
    )
    write(page, 0, f'def f(xs):\n    return "{hostile}"\n')
    page.get_by_role("button", name="Let it attack").click()
    page.get_by_text(re.compile("tests broke your program")).wait_for(timeout=SECONDS)
    page.locator(".a1-cell.a1-wrong:visible").first.click()
    page.locator(".a1-facts:visible").wait_for(timeout=SECONDS)
    assert page.title() == "a1kit inspector"
    assert page.locator("img[src=x]").count() == 0
    assert "<script>" in page.locator(".a1-facts:visible").inner_text()


def test_a_duel_is_told_stage_by_stage(recorded: Any, open_page: Callable[..., Any]) -> None:
    page = open_page(recorded.address)
    go(page, "Play", "Watch a duel")
    for stage in ("1 write", "2 attack", "3 validate", "4 play", "5 score"):
        page.locator("[aria-current=step]:visible", has_text=stage).wait_for(timeout=SECONDS)
        page.get_by_role("button", name="Next stage").click()
    page.get_by_role("button", name="Next duel").click()
    page.locator("[aria-current=step]:visible", has_text="1 write").wait_for(timeout=SECONDS)


def test_an_attack_fools_the_naive_judge_before_everybodys_eyes(recorded: Any, open_page: Callable[..., Any]) -> None:
    page = open_page(recorded.address)
    go(page, "Attacks")
    page.get_by_role("button", name="prints pass markers").click()
    row = page.locator("tr", has=page.get_by_role("button", name="prints pass markers"))
    row.locator(".a1-chip", has_text="false pass").wait_for(timeout=SECONDS)
    assert "not fooled" in row.inner_text()
    assert "##TEST" in page.get_by_label("the attacking program").inner_text()
    page.get_by_role("button", name="Run all").click()
    tally = page.locator(".a1-tile:visible", has_text="attacks run")
    tally.filter(has_text=re.compile(r"([2-9]|\d\d+) of")).wait_for(timeout=SECONDS)
    page.get_by_role("button", name="Stop", exact=True).locator("visible=true").click()
    page.wait_for_timeout(1500)
    before = tally.inner_text()
    page.wait_for_timeout(1500)
    assert tally.inner_text() == before


def choose(page: Any, label: str, option: str) -> None:
    box = page.get_by_label(label, exact=True).locator("visible=true").first
    box.click()
    page.get_by_role("option", name=option).locator("visible=true").first.click()


def write(page: Any, place: int, text: str) -> None:
    """Replace what stands in a code editor."""
    page.locator(".cm-content:visible").nth(place).click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
