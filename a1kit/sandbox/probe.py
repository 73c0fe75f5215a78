"""Which layers of isolation this machine offers, for `a1kit doctor` and for error messages.

The question is put to a zygote (a fresh interpreter), so asking changes nothing about the process that asks.
"""

from __future__ import annotations

from dataclasses import dataclass

from a1kit.sandbox.host import Kind, ZygoteProcess
from a1kit.sandbox.isolation import LAYERS
from a1kit.sandbox.local import level_of
from a1kit.sandbox.protocol import Level


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: `detail` says what is active (such as Landlock's version), or why it is missing."""

    name: str
    active: bool
    detail: str


@dataclass(frozen=True, slots=True)
class LayerReport:
    """The best level of this machine and what it is made of."""

    level: Level
    layers: tuple[Layer, ...]


def probe() -> LayerReport:
    """Start a helper process, let it try every layer, end it.

    Raises
    ------
    SandboxUnavailable
        No helper process can be started at all.
    """
    zygote = ZygoteProcess(Kind())
    try:
        hello = zygote.wait_ready()
    finally:
        zygote.close()
    layers = tuple(
        Layer(name, name in hello.active, hello.details.get(name, "") if name in hello.active else hello.missing[name])
        for name in LAYERS
    )
    return LayerReport(level_of(hello.active), layers)
