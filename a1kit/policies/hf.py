"""Placeholder."""

from typing import Any

HFPolicy: Any = None
