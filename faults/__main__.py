"""``python -m faults``: runs every fault many times and prints a table of the outcomes."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from bench import machine

from .run import Scenario
from .scenarios import SCENARIOS

_SEED = 20260101


@dataclass(frozen=True)
class Outcome:
    """The outcome of a scenario."""

    name: str
    promise: str
    #: ``held``, ``BROKEN`` or ``skipped``.
    result: str
    seconds: float
    figures: dict[str, float | int | str]
    why: str = ""


def main() -> None:
    """Exits with 0 when every promise held, with 1 when one was broken; a scenario that was skipped breaks none."""
    wanted = _arguments()
    chosen = [scenario for scenario in SCENARIOS if scenario.name in wanted.only]
    if not wanted.json:
        print(f"seed {wanted.seed}; {_machine()}", flush=True)
    outcomes = [_outcome(scenario, wanted) for scenario in chosen]
    if wanted.json:
        found = {"seed": wanted.seed, "machine": machine.describe(), "scenarios": [asdict(each) for each in outcomes]}
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        print(f"\n{_table(outcomes)}")
    sys.exit(1 if any(outcome.result == "BROKEN" for outcome in outcomes) else 0)


def _arguments() -> argparse.Namespace:
    names = [scenario.name for scenario in SCENARIOS]
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of {', '.join(names)}")
    parser.add_argument("--seed", type=int, default=_SEED, help="another one does the same at other moments")
    parser.add_argument("--short", action="store_true", help="as often as the tests do it")
    parser.add_argument("--minutes", type=float, help="how long four-workers lasts (4)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    found = parser.parse_args()
    found.only = found.only or names
    return found


def _outcome(scenario: Scenario, wanted: argparse.Namespace) -> Outcome:
    started = time.perf_counter()
    result, why, figures = "held", "", {}

    def report(words: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{scenario.name}: {words}", end="", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="ragstone-faults-", ignore_cleanup_errors=True) as folder:
        try:
            figures = scenario.run(
                Path(folder), seed=wanted.seed, full=not wanted.short, minutes=wanted.minutes, report=report
            ).figures
        except pytest.skip.Exception as error:
            result, why = "skipped", str(error)
        except Exception as error:
            result, why = "BROKEN", f"{error}\n{traceback.format_exc()}"
    seconds = time.perf_counter() - started
    report("")
    print(f"{result:8}{scenario.name}, {seconds:.0f} s  {why}".rstrip(), file=sys.stderr, flush=True)
    return Outcome(scenario.name, scenario.promise, result, round(seconds, 1), figures, why)


def _machine() -> str:
    result = machine.describe()
    return f"{result['cpu']}, {result['cores']} cores, load {result['load'][0]}, commit {result['commit']}"


def _table(outcomes: Sequence[Outcome]) -> str:
    """One line for each, its figures below it."""
    width = max(len(outcome.name) for outcome in outcomes)
    lines: list[str] = []
    for outcome in outcomes:
        lines.append(f"{outcome.result:8} {outcome.name:{width}} {outcome.seconds:7.1f} s  {outcome.promise}")
        result = [f"{what} {value}" for what, value in outcome.figures.items()] or [outcome.why.partition("\n")[0]]
        lines += [f"{'':{width + 20}}{line}" for line in _wrapped(result, 118 - width - 20)]
    return "\n".join(lines)


def _wrapped(parts: Iterable[str], width: int) -> list[str]:
    """The parts with semicolons between, as many on a line as fit."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= width:
            lines[-1] += f"; {part}"
        elif part:
            lines.append(part)
    return lines


if __name__ == "__main__":
    main()
