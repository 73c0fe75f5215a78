"""The trusted process's hold on one zygote: start it, hear its hello, send orders, end it.

A zygote is started as a fresh interpreter (never forked from this process, whose memory it would copy) with a scrubbed
environment and nothing inherited but one socket. Closing that socket is how it is told to go; it then kills its child,
if any, and exits. It does the same when it finds that this process has died.
"""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import site
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import frames
from a1kit.sandbox.isolation import LAYERS

_SCRIPT = Path(__file__).with_name("zygote.py")
_HELLO_SECONDS = 60.0
_LEAVE_SECONDS = 2.0
_LIBRARY_FOLDERS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
_READABLE_FILES = ("/usr/share/zoneinfo", "/etc/localtime", "/etc/ld.so.cache", "/dev/urandom", "/dev/zero")


@dataclass(frozen=True, slots=True)
class Kind:
    """What distinguishes zygotes: the hash seed and the third-party packages they have ready."""

    hash_seed: int = 0
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hello:
    """What a zygote reports when it is ready: layers it applies, and why it lacks others."""

    active: tuple[str, ...]
    missing: dict[str, str]
    details: dict[str, str]


@dataclass(frozen=True, slots=True)
class Report:
    """How a child ended. `reason` is one of `frames.END_*` or `frames.HEARTBEAT`."""

    number: int
    reason: int
    wait_status: int
    call: int
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int


class ZygoteDied(Exception):
    """The zygote ended, or says nothing sensible. Its worker starts another."""


class ZygoteProcess:
    """One running zygote."""

    def __init__(self, kind: Kind, layers: Sequence[str] = LAYERS, preload: Sequence[str] = (), ahead: bool = False):
        """Start it without waiting. `preload` are the third-party packages children may read at all; `ahead` has the
        next child wait while one runs."""
        self.kind = kind
        self.layers = layers
        self.hello: Hello | None = None
        ours, theirs = socket.socketpair()
        self._pending = b""
        self._orders = 0
        command = [sys.executable, "-s", "-S", "-P", "-B", "-X", "utf8", str(_SCRIPT), str(theirs.fileno())]
        try:
            self.process = subprocess.Popen(
                [*command, json.dumps({**_settings(kind, layers, tuple(preload)), "ahead": ahead})],
                pass_fds=[theirs.fileno()],
                env=_environment(kind),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise SandboxUnavailable(f"Cannot start {sys.executable} for the sandbox: {error}.") from error
        finally:
            theirs.close()
        self.control = ours

    def wait_ready(self) -> Hello:
        """Block until it has said hello.

        Raises
        ------
        SandboxUnavailable
            It did not start; the message carries its last words.
        """
        if self.hello is None:
            words = self._first_line()
            if "error" in words:
                raise SandboxUnavailable(
                    f"The sandbox's helper process cannot start: {words['error']}\n{words['trace']}"
                )
            self.hello = Hello(tuple(words["active"]), words["missing"], words["details"])
            assert self.process.stderr is not None
            self.process.stderr.close()
            self.control.setblocking(False)
        return self.hello

    def _first_line(self) -> dict[str, Any]:
        deadline, line = time.monotonic() + _HELLO_SECONDS, b""
        while not line.endswith(b"\n"):
            self.control.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                part = self.control.recv(65_536)
            except TimeoutError:
                raise SandboxUnavailable(
                    f"The sandbox's helper process said nothing for {_HELLO_SECONDS:.0f} s. The machine may be "
                    "overloaded; try again with fewer workers."
                ) from None
            except OSError:
                part = b""
            if not part:
                assert self.process.stderr is not None
                last_words = self.process.stderr.read()[-2000:].decode("utf-8", "replace")
                raise SandboxUnavailable(f"The sandbox's helper process ended while starting:\n{last_words}")
            line += part
        words = json.loads(line)
        assert isinstance(words, dict)
        return words

    def next_number(self) -> int:
        """A number for the next order, which its reports will carry."""
        self._orders += 1
        return self._orders

    def send(self, order: bytes, descriptors: Sequence[int]) -> None:
        """Hand over an order with its descriptors (duplicated by the kernel; the caller closes its own)."""
        try:
            sent = socket.send_fds(self.control, [order], list(descriptors))
        except OSError as error:
            raise ZygoteDied(f"it took no order: {error}") from error
        if sent != len(order):
            raise ZygoteDied("it took half an order")

    def reports(self) -> list[Report]:
        """Reports that have arrived. Raises ZygoteDied when it is gone."""
        try:
            data = self.control.recv(65_536)
        except BlockingIOError:
            return []
        except OSError as error:
            raise ZygoteDied(str(error)) from error
        if not data:
            raise ZygoteDied("it ended")
        self._pending += data
        size = frames.REPORT.size
        whole = len(self._pending) - len(self._pending) % size
        found = [Report(*frames.REPORT.unpack_from(self._pending, at)) for at in range(0, whole, size)]
        self._pending = self._pending[whole:]
        return found

    def close(self) -> None:
        """Tell it to go, and see it gone."""
        self.control.close()
        try:
            self.process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()

    def kill(self) -> None:
        """End it at once (it may be stopped or stuck); on Linux its child dies with it."""
        self.process.kill()
        self.close()


def _environment(kind: Kind) -> dict[str, str]:
    one_thread = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    return {
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "LD_BIND_NOW": "1",
        "PYTHONHASHSEED": str(kind.hash_seed),
        "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
        **dict.fromkeys(one_thread, "1"),
    }


@lru_cache
def _settings(kind: Kind, layers: Sequence[str], preload: tuple[str, ...]) -> dict[str, Any]:
    """What a zygote must know of this installation: where the library is, and what in it must not be read.

    Third-party packages are closed unless named in `preload`: data sets, with their reference solutions, are often
    installed as packages.
    """
    paths = sysconfig.get_paths()
    stdlib = [paths["stdlib"], paths["platstdlib"], os.path.join(sys.base_prefix, "lib")]
    folders = list(dict.fromkeys(os.path.realpath(path) for path in [*stdlib, *_LIBRARY_FOLDERS, *_READABLE_FILES]))
    on_path = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    sites = [*on_path, *site.getsitepackages(), site.getusersitepackages(), paths["purelib"], paths["platlib"]]
    for folder in folders:
        sites += glob.glob(os.path.join(folder, "python*", "*-packages"))
        sites += glob.glob(os.path.join(folder, "*-packages"))
    ourselves = str(Path(__file__).resolve().parents[1])
    excluded = sorted({os.path.realpath(path) for path in [*sites, ourselves]})
    return {
        "site": on_path,
        "layers": list(layers),
        "preload": list(kind.packages),
        "folders": [path for folder in folders for path in _library_parts(folder, excluded)],
        "excluded": excluded,
        "packages": [path for package in preload for path in _package_files(package)],
    }


def _library_parts(folder: str, excluded: Sequence[str]) -> list[str]:
    """A system library folder that also holds packages is opened only for its shared libraries: fewer rules, which each
    child pays for. Every other folder stays as it is."""
    if folder not in _LIBRARY_FOLDERS or not any(path.startswith(f"{folder}/") for path in excluded):
        return [folder]
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    architecture = [os.path.join(folder, multiarch)] if multiarch else []
    return [*architecture, *glob.glob(os.path.join(folder, "*.so*"))]


def _package_files(package: str) -> list[str]:
    """The folder or file of an importable package, and the folder of libraries its wheel brought."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        return []
    places = list(spec.submodule_search_locations or ([spec.origin] if spec.origin else []))
    return [path for place in places for path in (place, f"{place}.libs") if os.path.exists(path)]
