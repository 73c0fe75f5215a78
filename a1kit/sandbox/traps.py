"""Traps: harmless things that a hostile program is sent after, so that its success shows.

    with Traps() as traps:                       # before the sandbox starts: a token lies in the environment
        with LocalSandbox() as box:
            result = box.run(traps.arm(program), calls)
            assert traps.harm(result) == ()

A program of the corpus names its target in `@…@`; `arm` puts the address of a trap there:

    @CANARY@       a path where nothing may appear            harm "canary"
    @KEEPSAKE@     a file that must stay as it is             harm "keepsake"
    @SECRET_FILE@  a file whose token must not come back      harm "secret" (the token in the environment counts too)
    @TCP_PORT@ @UDP_PORT@ @UNIX_PATH@ @ABSTRACT@   listeners that must hear nothing     harm "listener"
    @VICTIM@       a process that must neither die nor stop   harm "victim"
    @HOST@         the process id of the trusted process
    @SIGNAL@       9, or 0 when the program is armed with `blank=True`: the same system call without its effect
    @MAILBOX@ @KEY@   where two programs might leave notes for each other
    @PACKAGES@     the folder that holds this package
    @NUL@          the character 0

A program that can only tell in words that it broke out returns the word "escaped": harm "confession".

What this does not notice: harm outside the traps. They are samples, one for each way out that we know of.
"""

from __future__ import annotations

import os
import re
import secrets
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from a1kit.sandbox.protocol import ProgramResult

VARIABLE = "A1KIT_TRAP_TOKEN"
"""The environment variable that holds the token while the traps are set."""

CONFESSION = "escaped"
_KEPT = b"a file to be left alone\n"
_KEPT_MODE = 0o666
_KEPT_TIME = 1_000_000_000


class Traps:
    """One set of traps, in a folder of its own that everybody may write to. Reusable: `arm` sets them again."""

    def __init__(self) -> None:
        self.token = f"token-{secrets.token_hex(8)}"
        self._folder = Path(tempfile.mkdtemp(prefix="a1kit-traps-"))
        self._folder.chmod(0o777)
        self._canary = self._folder / "canary"
        self._keepsake = self._folder / "keepsake"
        self._secret = self._folder / "secret"
        self._abstract = f"a1kit-trap-{secrets.token_hex(8)}"
        self._key = secrets.randbelow(1 << 30) + 1
        self._listeners: dict[str, socket.socket] = {}
        self._victim: subprocess.Popen[bytes] | None = None
        self._environment = os.environ.get(VARIABLE)

    def __enter__(self) -> Traps:
        os.environ[VARIABLE] = self.token
        self._secret.write_text(self.token, encoding="utf-8")
        self._listen()
        self._set()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Take everything away again. Safe to call twice."""
        if self._environment is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = self._environment
        for listener in self._listeners.values():
            listener.close()
        self._listeners.clear()
        self._end_victim()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """Where the traps lie."""
        return self._folder

    def arm(self, text: str, *, blank: bool = False) -> str:
        """`text` with the addresses of freshly set traps in place of its `@…@`."""
        self._set()
        addresses = self._addresses(blank)
        return re.sub("@([A-Z_]+)@", lambda found: addresses.get(found[1], found[0]), text)

    def address(self, text: str, *, blank: bool = False) -> str:
        """As `arm`, but the traps are left as they are: for a second text that goes with the first."""
        addresses = self._addresses(blank)
        return re.sub("@([A-Z_]+)@", lambda found: addresses.get(found[1], found[0]), text)

    def harm(self, result: ProgramResult) -> tuple[str, ...]:
        """The traps that went off since `arm`, in alphabetical order; those of words are looked for in `result`."""
        values = [observation.value for observation in result.observations if observation.value]
        words = [value.source or value.canonical for value in values]
        details = [result.load.detail, result.stdout, *(observation.detail for observation in result.observations)]
        return self.harm_in(words, details)

    def harm_in(self, values: Iterable[str], details: Iterable[str] = ()) -> tuple[str, ...]:
        """As `harm`, for values as text; a confession counts in `values`, a token in both."""
        words = list(values)
        sprung = {
            "canary": os.path.lexists(self._canary),
            "keepsake": not self._keepsake_is_whole(),
            "listener": self._heard(),
            "victim": self._victim is None or _disturbed(self._victim.pid),
            "secret": any(self.token in text for text in [*words, *details]),
            "confession": any(CONFESSION in text for text in words),
        }
        return tuple(sorted(name for name, went_off in sprung.items() if went_off))

    def _addresses(self, blank: bool) -> dict[str, str]:
        victim = self._victim
        return {
            "CANARY": str(self._canary),
            "KEEPSAKE": str(self._keepsake),
            "SECRET_FILE": str(self._secret),
            "TCP_PORT": str(self._listeners["tcp"].getsockname()[1]),
            "UDP_PORT": str(self._listeners["udp"].getsockname()[1]),
            "UNIX_PATH": str(self._folder / "listener"),
            "ABSTRACT": self._abstract,
            "VICTIM": str(victim.pid if victim else 0),
            "HOST": str(os.getpid()),
            "SIGNAL": "0" if blank else str(int(signal.SIGKILL)),
            "MAILBOX": str(self._folder / "mailbox"),
            "KEY": str(self._key),
            "PACKAGES": str(Path(__file__).resolve().parents[2]),
            "NUL": "\0",
        }

    def _set(self) -> None:
        for path in self._folder.iterdir():
            if path.name not in ("secret", "listener"):
                _remove(path)
        self._keepsake.write_bytes(_KEPT)
        self._keepsake.chmod(_KEPT_MODE)
        os.utime(self._keepsake, (_KEPT_TIME, _KEPT_TIME))
        self._heard()
        if self._victim is None or _disturbed(self._victim.pid):
            self._end_victim()
            self._victim = subprocess.Popen(["sleep", "3600"], start_new_session=True, stdin=subprocess.DEVNULL)

    def _keepsake_is_whole(self) -> bool:
        try:
            facts = self._keepsake.lstat()
            content = self._keepsake.read_bytes()
        except OSError:
            return False
        return (content, stat.S_IMODE(facts.st_mode), int(facts.st_mtime)) == (_KEPT, _KEPT_MODE, _KEPT_TIME)

    def _listen(self) -> None:
        tcp = socket.create_server(("127.0.0.1", 0))
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        self._listeners = {"tcp": tcp, "udp": udp}
        addresses = {"unix": str(self._folder / "listener")}
        if sys.platform == "linux":
            addresses["abstract"] = "\0" + self._abstract
        for name, address in addresses.items():
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(address)
            listener.listen()
            self._listeners[name] = listener
        (self._folder / "listener").chmod(0o777)

    def _heard(self) -> bool:
        """Whether anybody called since the last look; takes the calls off the line."""
        heard = False
        while ready := select.select(list(self._listeners.values()), [], [], 0)[0]:
            heard = True
            for listener in ready:
                if listener.type == socket.SOCK_STREAM:
                    listener.accept()[0].close()
                else:
                    listener.recv(4096)
        return heard

    def _end_victim(self) -> None:
        if self._victim is not None:
            self._victim.kill()
            self._victim.wait()
            self._victim = None


def _disturbed(pid: int) -> bool:
    """Whether a child of ours has died or was stopped."""
    try:
        ended, _ = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
    except ChildProcessError:
        return True
    return ended == pid


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
