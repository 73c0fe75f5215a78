"""Running model-written code: programs and calls go in, values come out.

`LocalSandbox` runs them in locked-up children on this machine, `FakeSandbox` answers from a script in tests. What a
backend promises is in `protocol`, what the kernel contributes in `isolation`, how values travel in `wire`.
"""

from a1kit.sandbox.fake import FakeSandbox, value_of
from a1kit.sandbox.local import LocalSandbox
from a1kit.sandbox.probe import Layer, LayerReport, probe
from a1kit.sandbox.protocol import Call, Job, Level, Limits, Observation, ProgramResult, Sandbox, Status, Value
from a1kit.sandbox.wire import WireError, close, read, same

__all__ = [
    "Call",
    "FakeSandbox",
    "Job",
    "Layer",
    "LayerReport",
    "Level",
    "Limits",
    "LocalSandbox",
    "Observation",
    "ProgramResult",
    "Sandbox",
    "Status",
    "Value",
    "WireError",
    "close",
    "probe",
    "read",
    "same",
    "value_of",
]
