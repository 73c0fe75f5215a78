"""The shipped micro models are what their provenance says, and the machinery of the warm-up works.

Not tested here: that a fresh warm-up lands in the same band. It takes about ten minutes, and is one command that
measures its result against these bands: `a1kit warmup micro --seed N --out FOLDER`.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from a1kit import warmup
from a1kit.errors import InfrastructureError
from a1kit.warmup_examples import SuiteStyle

pytestmark = [pytest.mark.train, pytest.mark.slow]

MODELS = Path(str(resources.files("a1kit_data").joinpath("models")))
HONEST = SuiteStyle(edge=0.3, aimed=0.2, believing=0.0, slips=0.0)


@pytest.fixture(scope="module")
def measured() -> dict[warmup.Kind, dict[str, float]]:
    return warmup.measure(MODELS)


@pytest.mark.parametrize("kind", ["code", "test"])
def test_the_shipped_models_lie_in_the_band_on_held_out_questions(
    measured: dict[warmup.Kind, dict[str, float]], kind: warmup.Kind
) -> None:
    assert set(measured[kind]) == set(warmup.BANDS[kind])
    for name, value in measured[kind].items():
        assert value in warmup.BANDS[kind][name], f"{name} is {value}"


@pytest.mark.parametrize("kind", ["code", "test"])
def test_the_shipped_models_measure_what_their_provenance_says(
    measured: dict[warmup.Kind, dict[str, float]], kind: warmup.Kind
) -> None:
    facts = json.loads((MODELS / f"micro-{kind}" / warmup.PROVENANCE).read_text(encoding="utf-8"))
    assert facts["steps"] == warmup.SCHEDULES[kind].steps
    for name, value in measured[kind].items():
        # The same seed: only the last bits of another processor's arithmetic can make a draw differ.
        assert value == pytest.approx(facts["measured"][name], abs=0.03)


def test_both_models_weigh_at_most_eight_megabytes() -> None:
    files = [path for kind in warmup.SCHEDULES for path in (MODELS / f"micro-{kind}").iterdir()]
    assert sum(path.stat().st_size for path in files) <= 8_000_000


def test_a_warm_up_process_that_dies_is_an_infrastructure_failure(tmp_path: Path) -> None:
    (tmp_path / ".micro-code.new").write_text("a file where a folder must go")
    (tmp_path / "micro-test").write_text("and another")
    with pytest.raises(InfrastructureError, match=r"micro-(code|test) ended with exit status"):
        warmup.make_both(tmp_path, 0, lambda progress: None, {kind: tiny() for kind in warmup.SCHEDULES})


def test_both_models_are_made_side_by_side(tmp_path: Path) -> None:
    said: list[warmup.Progress] = []
    warmup.make_both(tmp_path, 0, said.append, {kind: tiny() for kind in warmup.SCHEDULES})
    assert {progress.kind for progress in said} == {"code", "test"}
    assert {path.name for path in tmp_path.iterdir()} == {"micro-code", "micro-test"}


def tiny() -> warmup.Schedule:
    return warmup.Schedule((warmup.Stage(2, batch=2, tests=1, style=HONEST),))
