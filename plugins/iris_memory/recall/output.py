"""The output of a query: JSON and lines of text, with the reasons for each chunk if they are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any

from ragstone.core.text import counted

from .chunk import MemoryChunk
from .search import Finding, Recall

_LINES_SHOWN, _WIDTH = 6, 110


def to_dict(found: Recall, *, why: bool) -> dict[str, Any]:
    """For JSON. ``why``: also what was left out, and how each chunk came to its place."""
    kept = [finding for finding in found.findings if why or not finding.left_out]
    result: dict[str, Any] = {"query": found.text, "results": [_to_dict(finding) for finding in kept]}
    if why:
        for finding, chunk in zip(kept, result["results"], strict=True):
            chunk["why"] = {**_why(finding), "left_out": finding.left_out or None}
        result["narrowed_to"] = str(found.filters)
        result["remark"] = found.remark
        timings = found.timings.to_dict()
        result["timings_ms"] = {part: timings[part] for part in ("encode", "retrieve")}
    return result


def _to_dict(finding: Finding) -> dict[str, Any]:
    chunk = asdict(finding.chunk)
    chunk["relevance"] = round(finding.chunk.relevance, 4)
    times = {name: value for name, value in chunk.items() if isinstance(value, datetime)}
    return chunk | {name: value.isoformat(timespec="seconds") for name, value in times.items()}


def _why(finding: Finding) -> dict[str, Any]:
    scores = finding.scores
    return {
        "score": round(finding.score, 4),
        "cosine": None if scores.dense is None else round(scores.dense, 4),
        "cosine_place": scores.dense_rank,
        "bm25": round(scores.lexical, 3),
        "bm25_place": scores.lexical_rank,
        "fused": round(scores.fused, 4),
        "second_look": round(scores.added, 4),
        "date": round(finding.recency, 4),
    }


def to_lines(found: Recall, *, why: bool) -> Iterator[str]:
    """For people: each chunk's place, relevance and beginning."""
    if found.remark:
        yield f"({found.remark})"
    given = [finding for finding in found.findings if not finding.left_out]
    if not given:
        yield "Nothing in the memory is near to this."
    for number, finding in enumerate(given, start=1):
        yield ""
        yield f"{number}. {finding.chunk.place}"
        yield f"   {'  '.join(_labels(finding.chunk))}"
        if why:
            yield f"   {_reasons(finding)}"
        yield from (f"   | {line}" for line in _beginning(finding.chunk.text))
    if not why:
        return
    others = [finding for finding in found.findings if finding.left_out]
    yield ""
    yield f"Candidates: {len(found.findings)}, left out: {len(others)}"
    if str(found.filters):
        yield f"Filters: {found.filters}"
    for finding in others:
        yield f"   {finding.chunk.place}: {finding.left_out}; score {finding.score:.2f}"
    yield f"Took {found.timings.encode:.1f} ms to encode, {found.timings.retrieve:.1f} ms to search"


def _labels(chunk: MemoryChunk) -> Iterator[str]:
    yield f"relevance {chunk.relevance:.2f}"
    yield chunk.doc_type
    if chunk.date is not None:
        yield f"{chunk.date:%Y-%m-%d}"
    if chunk.sender:
        yield f"from {chunk.sender}"
    if chunk.recipients:
        yield f"to {chunk.recipients}"
    if chunk.valid_from is not None:
        yield f"valid from {chunk.valid_from:%Y-%m-%d}"
    if chunk.valid_until is not None:
        yield f"valid until {chunk.valid_until:%Y-%m-%d}"
    if chunk.section:
        yield chunk.section
    yield chunk.chunk_id


def _reasons(finding: Finding) -> str:
    scores = finding.scores
    meaning = "meaning unknown" if scores.dense is None else f"meaning {scores.dense:.2f}"
    words = f"words {scores.lexical:.2f}" if scores.lexical else "no word of it"
    return (
        f"{meaning}{_nth(scores.dense_rank)}, {words}{_nth(scores.lexical_rank)}; fused {scores.fused:.2f}, "
        f"rerank +{scores.added:.2f}, date +{finding.recency:.2f}: score {finding.score:.2f}"
    )


def _nth(rank: int | None) -> str:
    return "" if rank is None else f" (place {rank})"


def _beginning(text: str) -> Iterator[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in islice(lines, _LINES_SHOWN):
        yield line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
    if len(lines) > _LINES_SHOWN:
        yield f"… {counted(**{'more line': len(lines) - _LINES_SHOWN})}"
