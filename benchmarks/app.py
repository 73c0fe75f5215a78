"""The inspector on a long run: first paint, every filter, page and duel, and the memory of the server.

The run has 2,000 steps over 256 questions with 64 suites each, 5 million tests (`a1kit_bench.synthetic`; 200 steps with
`--quick`). Two tables: what the views take on the server, called as the page calls them, and what a person waits for in
a headless Chromium, from the click to the changed page. Every repetition asks for something else, so that nothing is
measured that was just computed. Medians of `REPEATS`, milliseconds; this machine, with whatever else it does.

    a1kit bench app
"""

from __future__ import annotations

import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from a1kit.errors import MissingDependency
from a1kit_bench.synthetic import write_run

STEPS = 2000
REPEATS = 9
TARGETS = {"first paint ms": 2000, "each action ms": 300, "server memory MB": 700}
NAME = "long"

BROWSER_OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def run(quick: bool = False) -> dict[str, Any]:
    """The report: sizes, targets, one row an action for the server and for the browser, and the server's memory."""
    with tempfile.TemporaryDirectory(prefix="a1kit-app-") as folder:
        root = Path(folder)
        started = time.perf_counter()
        tests = write_run(root / NAME, STEPS // 10 if quick else STEPS)
        made = time.perf_counter() - started
        return {"benchmark": "app", "tests": tests, "made in s": round(made, 1), **measure(root)}


def measure(root: Path) -> dict[str, Any]:
    """The report of a folder that holds one run, named `NAME` or anything else."""
    return {"targets": TARGETS, "server": on_server(root), **in_browser(root)}


# -- the views, called directly ----------------------------------------------------------------------------------------


def on_server(root: Path, seed: int = 0) -> list[dict[str, Any]]:
    """Milliseconds of each view function, first call and median of the others."""
    from a1kit_app.runs import Shelf
    from a1kit_app.views import book, duel, overview

    shelf, source = Shelf(root), random.Random(seed)
    (name,) = shelf.names()
    rows = [_row("overview: all figures", [_ms(lambda: overview.show(shelf, name)) for _ in range(REPEATS)])]
    rows.append(_row("book: read the run", [_ms(lambda: shelf.index(name))]))
    last = shelf.index(name).steps()[1]
    place = book.Place(run=name, last=last)

    def table(start: int = 0, **asked: Any) -> Callable[[], Any]:
        return lambda: book.listed(shelf, _at(place, start), book.Asked(**{"step": last, **asked}))

    def many(make: Callable[[], Callable[[], Any]]) -> list[float]:
        return [_ms(make()) for _ in range(REPEATS)]

    number = source.randrange
    actions: dict[str, Callable[[], Callable[[], Any]]] = {
        "book: filter by text": lambda: table(text=f"({number(-200, 200)})"),
        "book: filter by question": lambda: table(question=f"{number(256):04d}"),
        "book: filter by count and age": lambda: table(least=number(2, 9), oldest=number(last)),
        "book: filter by kind and state": lambda: table(kinds=["raised"], state=source.choice(["all", "mastered"])),
        "book: sort": lambda: table(order=source.choice(list(book.ORDERS))),
        "book: page": lambda: table(start=25 * number(400)),
        "book: go to a step": lambda: (
            lambda: book.show(shelf, place, False, book.Asked(step=number(1, last)), moving=True)
        ),
        "book: open a test": lambda: (
            lambda: book.life(shelf, book.Place(name, life=number(1000), last=last), False, book.Asked(step=last))
        ),
        "book: heat map and hardest questions": lambda: (
            lambda: book.questions(shelf, place, False, book.Asked(step=last))
        ),
        "book: nothing new": lambda: (
            lambda: book.follow(
                shelf, book.Place(name, shelf.index(name).version, last=last), False, book.Asked(step=last)
            )
        ),
        "duel: another step": lambda: lambda: duel.show(shelf, duel.Place(name, number(1, last + 1))),
        "duel: compare with an earlier step": lambda: lambda: duel.offer(shelf, _asked(shelf, name, number(1, last))),
    }
    return rows + [_row(what, many(make)) for what, make in actions.items()]


def _at(place: Any, start: int) -> Any:
    from dataclasses import replace

    return replace(place, start=start)


def _asked(shelf: Any, name: str, step: int) -> Any:
    from a1kit_app.views import duel

    return duel.Place(name, step, shelf.questions(name, step)[0])


def _ms(act: Callable[[], Any]) -> float:
    started = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - started)


def _row(what: str, times: list[float]) -> dict[str, Any]:
    return {
        "action": what,
        "first ms": round(times[0]),
        "median ms": round(statistics.median(times)),
        "worst ms": round(max(times)),
    }


# -- a person's view ---------------------------------------------------------------------------------------------------


def in_browser(root: Path) -> dict[str, Any]:
    """The same in Chromium against a server of its own, and that server's memory at the end."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as error:
        raise MissingDependency(
            "the browser part needs playwright and Chromium: pip install playwright && playwright install chromium"
        ) from error
    with _server(root) as (address, pid), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=BROWSER_OPTIONS)
        paints = [_paint(browser, address) for _ in range(3)]
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        page.wait_for_selector(".js-plotly-plot", state="visible")
        rows = [_row("first paint of the overview", paints), *_walk(page)]
        browser.close()
        return {"browser": rows, "server memory MB": _memory(pid)}


def _paint(browser: Any, address: str) -> float:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_selector(".js-plotly-plot .scatterlayer path", state="attached", timeout=60_000)
    taken = 1000 * (time.perf_counter() - started)
    page.close()
    return taken


def _walk(page: Any) -> Iterator[dict[str, Any]]:
    def waits(act: Callable[[], None], selector: str) -> float:
        before = page.evaluate("(selector) => document.querySelector(selector)?.innerText ?? ''", selector)
        started = time.perf_counter()
        act()
        page.wait_for_function(
            "([selector, before]) => (document.querySelector(selector)?.innerText ?? before) !== before",
            arg=[selector, before],
            timeout=60_000,
        )
        return 1000 * (time.perf_counter() - started)

    def tab(name: str) -> None:
        page.get_by_role("tab", name=name).click()

    yield _row("book: first look", [waits(lambda: tab("Mistake Book"), "#a1-book-pager")])
    text = page.get_by_label("test contains")
    yield _row(
        "book: filter by text", [waits(lambda n=n: text.fill(f"({n})"), "#a1-book-pager") for n in range(REPEATS)]
    )
    waits(lambda: text.fill(""), "#a1-book-pager")
    forth = page.get_by_role("button", name="→ page")
    yield _row("book: page", [waits(forth.click, "#a1-book-pager") for _ in range(REPEATS)])
    tests = page.locator("button[data-life]")
    yield _row("book: open a test", [waits(lambda n=n: tests.nth(n).click(), "#a1-book-life") for n in range(REPEATS)])
    tab("Duel")
    page.wait_for_selector("#a1-duel-rewards li", state="visible")
    for noun, sign in (("step", "←"), ("question", "→"), ("candidate", "→")):
        button = page.get_by_role("button", name=f"{sign} {noun}")
        count = REPEATS if noun == "step" else 6
        yield _row(f"duel: next {noun}", [waits(button.click, "#a1-duel-rewards") for _ in range(count)])


@contextmanager
def _server(root: Path) -> Iterator[tuple[str, int]]:
    command = [sys.executable, "-m", "a1kit", "view", "--root", str(root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if "http://" in line:
                address = line[line.index("http://") :].split()[0]
                break
        else:
            raise RuntimeError("the inspector ended before it said where it serves")
        yield address, process.pid
    finally:
        process.terminate()
        process.wait()


def _memory(pid: int) -> int:
    """Resident megabytes of a process, at its peak; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024
