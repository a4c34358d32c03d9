"""``python -m faults``: runs every fault many times, says what held, and prints all figures as JSON."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import pytest

from bench import machine

from .run import Run, Scenario
from .scenarios import SCENARIOS

_SEED = 20260101


def main() -> None:
    """Exits with 0 when every promise held, with 1 when one was broken; a scenario that was skipped breaks none."""
    wanted = _arguments()
    chosen = [scenario for scenario in SCENARIOS if scenario.name in wanted.only]
    outcomes = [_outcome(scenario, wanted) for scenario in chosen]
    found = {"seed": wanted.seed, "machine": machine.describe(), "scenarios": outcomes}
    print(json.dumps(found, indent=2, ensure_ascii=False))
    sys.exit(1 if any(outcome["result"] == "BROKEN" for outcome in outcomes) else 0)


def _arguments() -> argparse.Namespace:
    names = [scenario.name for scenario in SCENARIOS]
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of {', '.join(names)}")
    parser.add_argument("--seed", type=int, default=_SEED, help="another one does the same at other moments")
    parser.add_argument("--short", action="store_true", help="as often as the tests do it")
    parser.add_argument("--minutes", type=float, help="how long four-workers lasts (4)")
    found = parser.parse_args()
    found.only = found.only or names
    return found


def _outcome(scenario: Scenario, wanted: argparse.Namespace) -> dict[str, Any]:
    """The promise, whether it ``held``, is ``BROKEN`` or was ``skipped``, and the figures."""
    started = time.perf_counter()
    result, why, figures = "held", "", {}

    def report(words: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{scenario.name}: {words}", end="", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="ragstone-faults-", ignore_cleanup_errors=True) as folder:
        try:
            figures = scenario.run(Run(Path(folder), wanted.seed, not wanted.short, wanted.minutes, report))
        except pytest.skip.Exception as error:
            result, why = "skipped", str(error)
        except Exception as error:
            result, why = "BROKEN", f"{error}\n{traceback.format_exc()}"
    seconds = time.perf_counter() - started
    report("")
    print(f"{result:8}{scenario.name}, {seconds:.0f} s  {why}".rstrip(), file=sys.stderr, flush=True)
    return {
        "name": scenario.name,
        "promise": scenario.promise,
        "result": result,
        "seconds": round(seconds, 1),
        "figures": figures,
        "why": why,
    }


if __name__ == "__main__":
    main()
