"""What a locked-up child does: read its job, load the program, answer the calls, leave.

Stands alone (standard library only). Everything here shares an interpreter with hostile code and may be changed by it;
that is expected. It only decides what *this* child says about itself, and a child that lies about its values could as
well have computed them. Nothing that must not be known (expected or predicted answers, other programs) is ever here.

Cost rules the shape: after a fork every page that is written is copied, so what can be made ready in the zygote is, and
`Runner.rehearse` runs the whole path there a few times, which leaves the interpreter's caches filled.
"""

from __future__ import annotations

import builtins
import gc
import json
import marshal
import os
import random
import re
import resource
import sys
import time
import types
from collections.abc import Callable, Sequence
from errno import EACCES, EFBIG, EPERM
from mmap import mmap
from typing import Any

PROGRAM_NAME = "program"
"""`__name__` of the program: never `__main__`, so that what stands under that guard does not run."""

_FRAMES_ABOVE_PROGRAM = 12
_MAX_BASES = 32
_MAX_NAME = 200
_MAX_DETAIL = 500
_SHORT_NAME = 16
_REFUSALS = (EPERM, EACCES, EFBIG)

_name = type.__dict__["__name__"].__get__
_mro = type.__dict__["__mro__"].__get__
_errno = OSError.__dict__["errno"].__get__
_forget_traceback = BaseException.__dict__["__traceback__"].__set__
_forget_context = BaseException.__dict__["__context__"].__set__

_REHEARSAL = '''
from typing import Any, Dict, List, Optional, Set, Tuple
import collections, math
def f(xs: List[int], name: str = "", table: Optional[Dict[str, int]] = None) -> Tuple[int, ...]:
    """What programs usually do."""
    total = [x * 2 for x in sorted(xs) if x % 2 == 0 or x > 1.5]
    for i, x in enumerate(xs):
        total.append(len(str(i)) + sum(range(x)))
    return tuple(total)
def g(text: str) -> List[str]:
    return [word.lower() for word in text.split() if word]
class C:
    def __init__(self, a: List[float]) -> None:
        self.a = a
def check(candidate):
    assert candidate([3, 1, 2])[0] == 4, "no"
'''
_REHEARSED_CALLS = (
    "f([3, 1, 2])",
    "g('a B')",
    "check(f)",
    "{'a': [1.5, (None, True)], 'b': {1}}",
    "f('x')",
    "C([1.0])",
)


class Runner:
    """Made in the zygote, used once in a child."""

    def __init__(self, codec: Any, frames: Any, memory_reserve: int, page: mmap):
        self.codec, self.frames, self.reserve, self.page = codec, frames, memory_reserve, page
        self.clock, self.wall, self.stopwatch = time.process_time, time.monotonic, time.thread_time
        self.progress, self.header = frames.PROGRESS.pack_into, frames.FRAME.pack
        self.write: Callable[[int, bytes], int] = os.write
        self.outputs = (sys.stdout, sys.stderr)
        self.result = 3
        self.room = 1 << 20
        self.captured = False
        self.began = 0.0
        self.names: dict[str, Any] = {}
        self.fresh_names()

    def fresh_names(self) -> None:
        """The empty module a program will be."""
        module = types.ModuleType(PROGRAM_NAME)
        sys.modules[PROGRAM_NAME] = module
        self.names = module.__dict__
        self.names["__builtins__"] = builtins

    def rehearse(self) -> None:
        """Run the path of a child with harmless programs and no descriptor."""
        self.write = lambda descriptor, frame: len(frame)
        for _ in range(10):
            self.job(
                *marshal.loads(marshal.dumps((_REHEARSAL, [(call, "x = 1") for call in _REHEARSED_CALLS], [], 1 << 20)))
            )
            self.fresh_names()
        self.write = os.write

    def main(self, length: int, captured: bool) -> None:
        """Do the job of `length` bytes that waits on the result descriptor, then end the process."""
        self.captured = captured
        status = self.frames.EXIT_DONE
        try:
            self.begin(self.frames.LOADED)
            self.job(*marshal.loads(self.receive(length)))
        except MemoryError:
            status = self.frames.EXIT_MEMORY
        except BrokenPipeError:
            pass
        os._exit(status)

    def receive(self, length: int) -> bytes:
        """The job, however it is cut up on the way."""
        data = os.read(self.result, length)
        if len(data) == length:
            return data
        parts = [data]
        missing = length - len(data)
        while missing:
            parts.append(os.read(self.result, missing))
            if not parts[-1]:
                os._exit(self.frames.EXIT_DONE)
            missing -= len(parts[-1])
        return b"".join(parts)

    def job(self, program: str, calls: Sequence[tuple[str, str]], values: Sequence[bytes], room: int) -> None:
        """Load and answer. One frame for loading, one a call."""
        self.room = room
        gc.enable()
        if not self.load(program, values):
            return
        for place, (expression, setup) in enumerate(calls):
            self.begin(place)
            self.send(place, *self.answer(expression, setup))
        self.send(self.frames.DONE, self.frames.VALUE, b"")

    def load(self, program: str, values: Sequence[bytes]) -> bool:
        """Whether the program ran to its end."""
        frames = self.frames
        try:
            for place, value in enumerate(values):
                self.names[f"_{place}"] = self.codec.loads(value)
            code = compile(program, "<program>", "exec", dont_inherit=True)
        except BaseException as error:
            self.send(frames.LOADED, frames.SYNTAX, self.failure(error)[1])
            return False
        try:
            exec(code, self.names)
        except BaseException as error:
            self.send(frames.LOADED, *self.failure(error))
            return False
        self.send(frames.LOADED, frames.VALUE, b"")
        return True

    def answer(self, expression: str, setup: str) -> tuple[int, bytes]:
        """Evaluate one call in a copy of the program's names: the kind and payload of its frame.

        What was evaluated is gone when this returns, so that a finalizer that hangs costs its own call.
        """
        frames, names = self.frames, self.names.copy()
        try:
            if setup:
                exec(compile(setup, "<setup>", "exec", dont_inherit=True), names)
            function, arguments = literal_call(expression, names)
            if function is not None:
                value = function(*arguments)
            else:
                value = eval(compile(expression, "<call>", "eval", dont_inherit=True), names)
        except BaseException as error:
            return self.failure(error)
        try:
            payload: bytes = self.codec.dumps(value)
        except self.codec.Unsupported as error:
            return frames.UNSUPPORTED, _pack("", (), str(error))
        except MemoryError as error:
            return self.failure(error)
        except BaseException as error:
            return frames.UNSUPPORTED, _pack("", (), f"encoding it raised {_name(type(error))}")
        if len(payload) > self.room:
            return frames.UNSUPPORTED, _pack("", (), "the program's values exceed the output limit")
        return frames.VALUE, payload

    def begin(self, place: int) -> None:
        """Note in the shared page what starts now."""
        self.progress(self.page, 0, place, self.clock(), self.wall())
        self.began = self.stopwatch()

    def failure(self, error: BaseException) -> tuple[int, bytes]:
        """Kind and payload of the frame for an exception: its type's name, those of its bases, its message."""
        frames, mro = self.frames, _mro(type(error))
        kind = frames.RAISED
        if MemoryError in mro:
            kind = frames.MEMORY
            self.release(error)
        elif OSError in mro and _errno(error) in _REFUSALS:
            kind = frames.REFUSED
        name = _name(mro[0])[:_MAX_NAME]
        try:
            message = str(error)
        except BaseException as second:
            message = f"(its message raised {_name(type(second))})"
        return kind, _pack(name, [_name(base)[:_MAX_NAME] for base in mro[:_MAX_BASES]], f"{name}: {message}")

    def release(self, error: BaseException) -> None:
        """Open the reserve of memory and let go of the frames that hold what filled it."""
        if sys.platform.startswith("linux"):
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        _forget_traceback(error, None)
        _forget_context(error, None)

    def send(self, place: int, kind: int, payload: bytes) -> None:
        if self.captured:
            self.flush()
        if kind != self.frames.VALUE and len(payload) > self.room:
            payload = _pack(json.loads(payload)[0][:_SHORT_NAME], (), "")
        self.room = max(0, self.room - len(payload))
        frame = self.header(len(payload), place, kind, self.stopwatch() - self.began) + payload
        written = self.write(self.result, frame)
        while written < len(frame):
            frame = frame[written:]
            written = self.write(self.result, frame)

    def flush(self) -> None:
        for output in self.outputs:
            try:
                output.flush()
            except (OSError, ValueError):
                continue


def literal_call(expression: str, names: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The function and arguments of a call like `f([1, 2], "a", None)`, or (None, []) for every other expression.

    Most calls look like that, and the JSON decoder reads such arguments in a fifth of the time of the compiler. What
    JSON and Python might read differently (escapes, exponents, tuples, leading zeros) is left to the compiler.
    """
    found = _LITERAL_CALL(expression)
    if found is None or found[1] not in names:
        return None, []
    text = found[2]
    if "'" in text:
        if '"' in text:
            return None, []
        text = text.replace("'", '"')
    elif '"' not in text and "e" in text:
        text = text.replace("True", "true").replace("False", "false").replace("None", "null")
    try:
        return names[found[1]], _decode_json(f"[{text}]")
    except ValueError:
        return None, []


_LITERAL_CALL = re.compile(
    r"""([A-Za-z_][A-Za-z_0-9]*)\(((?:[0-9 ,.\[\]-]++|True|False|None|"[^"'\\\n]*"|'[^"'\\\n]*')*+)\)"""
).fullmatch
_decode_json = json.JSONDecoder().decode


def _pack(name: str, bases: Sequence[str], detail: str) -> bytes:
    """The payload of every frame that is not a value."""
    return json.dumps([name, list(bases), detail[:_MAX_DETAIL].removesuffix(": ")]).encode("ascii")


def settle(seeded: Sequence[Any]) -> None:
    """Make this process the one every child starts from: seeds, limits of the interpreter, no trace of the zygote."""
    random.seed(0)
    for module in seeded:
        module.random.seed(0)
    sys.setrecursionlimit(1000 + _FRAMES_ABOVE_PROGRAM)
    sys.set_int_max_str_digits(0)
    sys.argv[:] = [PROGRAM_NAME]
    sys.modules["__main__"] = types.ModuleType("__main__")
