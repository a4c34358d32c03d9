"""The input and the result of a scenario."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

#: Longer than anything takes on a machine that is busy with other things; whoever waits longer waits for ever.
PATIENCE_S = 300.0


def _say_nothing(words: str) -> None:
    pass


@dataclass
class Run:
    """One run of one scenario."""

    #: Empty, and the scenario's own.
    folder: Path
    seed: int
    #: As often as ``make faults`` does it; else a few times, as every test run does.
    full: bool
    #: How long a scenario that goes on for minutes does; ``None`` leaves it to the scenario.
    minutes: float | None = None
    #: Says how far it is.
    report: Callable[[str], None] = _say_nothing
    #: What was done, and what was measured; a duration's name ends with " s".
    figures: dict[str, float | int | str] = field(default_factory=dict)

    @cached_property
    def random(self) -> random.Random:
        """The same for the same seed and scenario."""
        return random.Random(self.seed)

    def times(self, short: int, full: int) -> int:
        """How often."""
        return full if self.full else short

    def count(self, what: str, by: int = 1) -> None:
        """One more of these."""
        self.figures[what] = int(self.figures.get(what, 0)) + by


@dataclass(frozen=True)
class Scenario:
    """A fault, and what is promised about it."""

    name: str
    promise: str
    do: Callable[[Run], None]

    def run(self, run: Run) -> dict[str, float | int | str]:
        """Run it; what was done and measured. Raises ``AssertionError`` where the promise does not hold."""
        run.folder.mkdir(parents=True, exist_ok=True)
        # Each scenario draws its own numbers, so that one alone does what it does among the others.
        run.seed ^= zlib.crc32(self.name.encode())
        self.do(run)
        return run.figures
