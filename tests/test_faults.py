"""The short form of every fault; ``make faults`` does each as often as it takes to trust the promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.run import Run, Scenario
from faults.scenarios import SCENARIOS

pytestmark = pytest.mark.slow
_SEED = 7


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_the_promise_holds(scenario: Scenario, tmp_path: Path) -> None:
    figures = scenario.run(Run(tmp_path / "work", _SEED, full=False))
    assert figures, "nothing was done"
