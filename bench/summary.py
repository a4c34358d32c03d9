"""Ratios and targets of the measurements."""

from __future__ import annotations

from statistics import fmean
from typing import Any

Json = dict[str, Any]

_UNITS = ("chunks", "chars", "tokens_embedded")
_SETS = ("squad13", "multirobot", "physical_ai", "biology")
_MEASURED_KINDS = (
    ("false: number", "another number stood"),
    ("false: unit", "another unit stood"),
    ("false: name", "another name stood"),
    ("false: denied", "a denial stood"),
    ("false: not denied", "a lost denial stood"),
    ("false: of another passage", "a sentence of another passage stood"),
    ("true: word for word", "word for word dropped"),
)


def summarise(results: Json) -> Json:
    """Ratios (above 1: Ragstone needs less, or does more) and targets of what was measured."""
    ratios: Json = {}
    targets: list[Json] = []
    for section in (_of_ingest, _of_query, _of_check, _of_ask, _of_encoder, _of_citations):
        section(results, ratios, targets)
    return {"ratios": {name: round(ratio, 3) for name, ratio in ratios.items()}, "targets": targets}


def _target(
    targets: list[Json], name: str, value: float, *, least: float | None = None, most: float | None = None
) -> None:
    met = (least is None or value >= least) and (most is None or value <= most)
    limit = f">= {least:g}" if least is not None else f"<= {most:g}"
    targets.append({"name": name, "value": round(value, 3), "limit": limit, "met": met})


def _of_ingest(results: Json, ratios: Json, targets: list[Json]) -> None:
    found = results.get("ingest", {})
    if against := found.get("against_encoder"):
        books = against["books"].values()
        encoder = fmean(sum(book["encoder_s"][turn] for book in books) for turn in (0, 1))
        share = encoder / sum(book["seconds"] for book in books)
        _target(targets, "ingestion at the encoder's own speed, share", share, least=0.85)
    own, peer = found.get("ragstone"), found.get("peer")
    if own and peer:
        ours, theirs = (
            {name: sum(book[name] for book in side["books"].values()) for name in ("seconds", *_UNITS)}
            for side in (own, peer)
        )
        ratios["ingestion, seconds for the same files"] = theirs["seconds"] / ours["seconds"]
        for unit in _UNITS:
            rates = [side[unit] / side["seconds"] for side in (ours, theirs)]
            ratios[f"ingestion, {unit.replace('_', ' ')}/s"] = rates[0] / rates[1]
        ratios["ingestion, peak memory"] = peer["peak_mb"] / own["peak_mb"]


def _of_query(results: Json, ratios: Json, targets: list[Json]) -> None:
    found = results.get("query", {})
    peer = found.get("peer")
    for key, name in (("exact", "exact search"), ("following", "Chroma")):
        own = found.get(key)
        if not own:
            continue
        _target(targets, f"query, {name}, p50 ms", own["ms"]["total"]["p50"], most=25)
        _target(targets, f"query, {name}, p99 ms", own["ms"]["total"]["p99"], most=100)
        if peer:
            for part in ("p50", "p99"):
                ours, theirs = own["ms"]["encode_and_retrieve"][part], peer["ms"]["total"][part]
                ratios[f"query, {name}, question to passages, {part}"] = theirs / ours
            ratios[f"query, {name}, peak memory"] = peer["peak_mb"] / own["peak_mb"]


def _of_check(results: Json, ratios: Json, targets: list[Json]) -> None:
    found = results.get("check")
    if found:
        _target(targets, "gate and citation check over encoding the question, p50", found["ratio_p50"], most=1)


def _of_citations(results: Json, ratios: Json, targets: list[Json]) -> None:
    """The share of false sentences that passed, and of verbatim ones that did not, over all sets."""
    sets = [found for name, found in (results.get("citations") or {}).items() if name in _SETS]
    for kind, name in _MEASURED_KINDS:
        rows = [found[kind] for found in sets if kind in found]
        count = sum(row["sentences"] for row in rows)
        if not count:
            continue
        stood = sum(row["sentences"] * row["stood"] for row in rows) / count
        wrong, most = (1 - stood, 0.03) if kind.startswith("true") else (stood, 0.02)
        _target(targets, f"citation check, {name}, share", wrong, most=most)


def _of_ask(results: Json, ratios: Json, targets: list[Json]) -> None:
    found = results.get("ask", {})
    own, peer = found.get("ragstone"), found.get("peer")
    if own:
        _target(targets, "ragstone ask as a process, s", own["median_s"], most=2.5)
    if own and peer:
        ratios["ask as a process, seconds"] = peer["median_s"] / own["median_s"]
        ratios["ask as a process, peak memory"] = peer["peak_mb"] / own["peak_mb"]


def _of_encoder(results: Json, ratios: Json, targets: list[Json]) -> None:
    found = results.get("encoder", {})
    peer = found.get("huggingface")
    for precision in ("fp32", "int8"):
        own = found.get(precision)
        if own and peer:
            ratios[f"encoder {precision}, query p50"] = peer["query_ms"]["p50"] / own["query_ms"]["p50"]
            ratios[f"encoder {precision}, texts/s"] = own["texts_per_s"] / peer["texts_per_s"]
            ratios[f"encoder {precision}, peak memory"] = peer["peak_mb"] / own["peak_mb"]
