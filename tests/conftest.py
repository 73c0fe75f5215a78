"""Fixtures that every kind of test may use."""

from __future__ import annotations

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of benchmark data beside the checkout; tests that need it skip where it is absent."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"benchmark data folder {folder.name!r} is not beside the checkout")
    return folder
