"""Fixtures that every kind of test may use."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time, so that a run says something about the change it is made for. To search further:
# pytest --hypothesis-profile=default
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

# A shell that runs the tests in the background makes them, and all they start, deaf to Ctrl-C, which some tests press.
signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of benchmark data beside the checkout; tests that need it skip where it is absent."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"benchmark data folder {folder.name!r} is not beside the checkout")
    return folder
