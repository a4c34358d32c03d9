"""``python -m bench``: measure, write JSON, print ratios and targets. Targets are met or missed, not asserted."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import command, machine
from .books import BOOKS, QUICK, Missing, book_folders, weights_folder
from .children import Failed, measure
from .summary import summarise

Json = dict[str, Any]

_REPOSITORY = Path(__file__).parents[1]
_SECTIONS = ("ingest", "query", "check", "ask", "encoder", "citations")


def main() -> None:
    """Exits with 0 whatever the figures are; with 1 when a measurement failed, with 2 when something is missing."""
    wanted = _arguments()
    try:
        books, weights = book_folders(QUICK if wanted.quick else BOOKS), weights_folder()
    except Missing as error:
        sys.exit(_say(f"bench: {error}", code=2))
    with ExitStack() as stack:
        work = wanted.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ragstone-bench-")))
        work.mkdir(parents=True, exist_ok=True)
        results = _Bench(work, books, weights, quick=wanted.quick).run(wanted.only)
    place = wanted.json or _REPOSITORY / "bench-results" / f"{datetime.now(UTC):%Y-%m-%d}-{machine.commit()}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", "utf-8")
    shown = {part: results[part] for part in ("ratios", "targets", "errors")}
    print(f"{json.dumps(shown, indent=2, ensure_ascii=False)}\n\nwritten to {place}")
    sys.exit(1 if results["errors"] else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", type=_sections, default=_SECTIONS, metavar="PARTS", help=", ".join(_SECTIONS))
    parser.add_argument("--quick", action="store_true", help="the smallest book only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument(
        "--work", type=Path, metavar="FOLDER", help="work in this folder and take up what an earlier run left in it"
    )
    return parser.parse_args()


def _sections(text: str) -> tuple[str, ...]:
    named = [part.strip() for part in text.split(",") if part.strip()]
    for part in named:
        if part not in _SECTIONS:
            raise argparse.ArgumentTypeError(f"{part!r} is none of {', '.join(_SECTIONS)}")
    return tuple(part for part in _SECTIONS if part in named)


def _say(text: str, *, code: int = 0) -> int:
    print(text, file=sys.stderr, flush=True)
    return code


class _Bench:
    """One run in one folder; whatever fails is noted and the rest goes on."""

    def __init__(self, work: Path, books: dict[str, str], weights: str, *, quick: bool) -> None:
        self._work = work.resolve()
        self._books = books
        self._weights = weights
        self._quick = quick
        self._errors: dict[str, str] = {}

    def run(self, sections: tuple[str, ...]) -> Json:
        """Measure the sections."""
        results: Json = {
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "quick": self._quick,
            "machine": machine.describe(),
        }
        prepared = self._once("prepare", "ragstone_measurements.prepare", books=self._books)
        if prepared is not None:
            results["prepared"] = prepared
            if set(sections) - {"encoder", "citations"}:
                ingested = self._ingest(prepared, compare="ingest" in sections)
                if "ingest" in sections:
                    results["ingest"] = ingested
            if "query" in sections:
                results["query"] = self._query()
            if "check" in sections:
                results["check"] = self._measure("check", "answer_checks.check")
            if "ask" in sections:
                results["ask"] = self._ask()
            if "encoder" in sections:
                results["encoder"] = self._encoder()
            if "citations" in sections:
                results["citations"] = self._measure("citations", "citations.measured", every=5 if self._quick else 1)
        results["load_after"] = machine.load()
        results["errors"] = self._errors
        return {**results, **summarise(results)}

    def _ingest(self, prepared: Json, *, compare: bool) -> Json:
        files = {name: book["files"] for name, book in prepared["books"].items()}
        found = {"ragstone": self._once("ingest", "ragstone_measurements.ingest", books=self._books)}
        if compare:
            found["against_encoder"] = self._once(
                "ingest against encoder", "ragstone_measurements.ingest_against_encoder", books=self._books
            )
        found["peer"] = self._once("ingest, peer", "peer.ingest", weights=self._weights, files=files)
        return _there(found)

    def _query(self) -> Json:
        return _there(
            {
                "exact": self._measure("query", "ragstone_measurements.query"),
                "following": self._measure("query, Chroma", "ragstone_measurements.query_following"),
                "peer": self._measure("query, peer", "peer.query", weights=self._weights),
            }
        )

    def _ask(self) -> Json:
        work = str(self._work)
        return _there(
            {
                "ragstone": self._tried("ask", lambda: command.ragstone(work)),
                "peer": self._tried("ask, peer", lambda: command.peer(work, self._weights)),
            }
        )

    def _encoder(self) -> Json:
        return _there(
            {
                "fp32": self._measure("encoder fp32", "encoders.ragstone", precision="fp32"),
                "int8": self._measure("encoder int8", "encoders.ragstone", precision="int8"),
                "huggingface": self._measure("encoder, peer", "encoders.huggingface", weights=self._weights),
            }
        )

    def _once(self, name: str, function: str, **arguments: Any) -> Json | None:
        """As ``_measure``, but takes the result of an earlier run in the same folder."""
        kept = self._work / f"{function}.json"
        if kept.is_file():
            held: Json = json.loads(kept.read_text("utf-8"))
            if held["arguments"] == arguments:
                _say(f"bench: {name}: taken from {kept}")
                result: Json = held["result"]
                return result
        found = self._measure(name, function, **arguments)
        if found is not None:
            kept.write_text(json.dumps({"arguments": arguments, "result": found}), "utf-8")
        return found

    def _measure(self, name: str, function: str, **arguments: Any) -> Json | None:
        return self._tried(name, lambda: measure(function, work=str(self._work), **arguments))

    def _tried(self, name: str, measured: Callable[[], Json]) -> Json | None:
        started = time.perf_counter()
        try:
            found = measured()
        except Failed as error:
            self._errors[name] = str(error)
            _say(f"bench: {name} FAILED: {error}")
            return None
        _say(f"bench: {name}: {time.perf_counter() - started:.1f} s")
        return found


def _there(found: dict[str, Json | None]) -> Json:
    return {name: measured for name, measured in found.items() if measured is not None}


if __name__ == "__main__":
    main()
