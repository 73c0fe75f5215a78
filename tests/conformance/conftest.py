"""Every backend, at every level this machine offers, under the same tests.

`sandbox` is one open sandbox per backend and level; `open_sandbox` makes a fresh one of the same kind, for tests that
close or break theirs. A new backend joins by adding its opener to `BACKENDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from a1kit.errors import SandboxUnavailable
from a1kit.sandbox import Level, LocalSandbox

Opener = Callable[[], LocalSandbox]

BACKENDS: dict[str, Opener] = {
    f"local-{level}": lambda level=level: LocalSandbox(level, workers=2)  # type: ignore[misc]
    for level in (Level.FULL, Level.PARTIAL, Level.LIMITS_ONLY)
}


@pytest.fixture(scope="session", params=sorted(BACKENDS))
def open_sandbox(request: pytest.FixtureRequest) -> Opener:
    """Opens a fresh sandbox; skips where the machine lacks the level."""
    opener = BACKENDS[request.param]
    try:
        opener().close()
    except SandboxUnavailable as reason:
        pytest.skip(str(reason))
    return opener


@pytest.fixture(scope="session")
def sandbox(open_sandbox: Opener) -> Iterator[LocalSandbox]:
    """One sandbox for all tests of its backend and level. `sandbox.level` says which level it is."""
    with open_sandbox() as box:
        yield box
