"""The results as text with tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .summary import all_against, encoder_cpu_share, encoder_share, total

Json = dict[str, Any]
Row = tuple[object, ...]


_NUMBER = re.compile(r"[-\d.%]*")


def rendered(results: Json) -> str:
    """Every table, then ratios, targets and what failed."""
    parts = [_machine(results["machine"], results["load_after"], quick=results["quick"])]
    sections = (
        ("ingest", _ingest),
        ("query", _query),
        ("check", _check),
        ("ask", _ask),
        ("encoder", _encoder),
        ("citations", _citations),
    )
    for name, section in sections:
        if results.get(name):
            parts += section(results[name], results)
    ratios = results["ratios"]
    if ratios:
        parts.append(_table("Ratios to plain LlamaIndex; above 1 Ragstone is ahead", ("", "x"), ratios.items()))
    rows = [(t["name"], t["value"], t["limit"], "met" if t["met"] else "MISSED") for t in results["targets"]]
    if rows:
        parts.append(_table("Targets", ("", "value", "target", ""), rows))
    parts += [f"FAILED {name}\n{error}" for name, error in results["errors"].items()]
    return "\n\n".join(parts)


def _machine(machine: Json, after: Sequence[float], *, quick: bool) -> str:
    libraries = ", ".join(f"{name} {version or '-'}" for name, version in machine["libraries"].items())
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['ram_gb']} GB, {machine['system']}",
        f"Python {machine['python']}, commit {machine['commit']}",
        libraries,
        f"load before {machine['load'][0]}, after {after[0]}",
    ]
    if machine["load"][0] > 0.5:
        lines.append("NOTE: the machine was busy with other things at the start; these figures are only for trying out")
    if quick:
        lines.append("NOTE: one book only (--quick)")
    return "\n".join(lines)


def _ingest(found: Json, results: Json) -> Iterator[str]:
    own, against, peer = found.get("ragstone"), found.get("against_encoder"), found.get("peer")
    rows: list[Row] = [
        (side, name, *_speed(book))
        for side, measured in (("Ragstone", own), ("LlamaIndex", peer))
        if measured
        for name, book in (*measured["books"].items(), ("all", total(measured["books"])))
    ]
    heads = ("", "book", "chunks", "s", "chunks/s", "chars/s", "tokens embedded/s", "embedded")
    yield _table("Ingestion (embedded: share of the tokens that the encoder did not cut off)", heads, rows)
    if peer and any(book["tokens_embedded"] < book["tokens"] for book in peer["books"].values()):
        yield "LlamaIndex's default chunks are longer than the encoder's window; the rest of each is cut off unread."
    if against:
        prepared = results["prepared"]["books"]
        rows = [
            (
                name,
                book["seconds"],
                *book["encoder_s"],
                encoder_share(book),
                encoder_cpu_share(book),
                prepared[name]["seconds_without_model"] if name in prepared else "",
                "" if book.get("same_texts", True) else "THE TEXTS DIFFER",
            )
            for name, book in (*against["books"].items(), ("all", all_against(against["books"])))
        ]
        heads = ("book", "ingestion s", "encoder s before", "after", "share", "CPU share", "without model s", "")
        yield _table("Ingestion against the encoder alone on the same texts, in one process", heads, rows)
    yield _memory(("ingestion, Ragstone", own), ("ingestion, LlamaIndex", peer))


def _speed(book: Json) -> Row:
    rates = [book[unit] / book["seconds"] for unit in ("chunks", "chars", "tokens_embedded")]
    return book["chunks"], book["seconds"], *rates, f"{book['tokens_embedded'] / book['tokens']:.0%}"


def _query(found: Json, results: Json) -> Iterator[str]:
    sides = [("exact", "Ragstone, exact search"), ("following", "Ragstone, Chroma"), ("peer", "LlamaIndex")]
    rows: list[Row] = []
    for key, side in sides:
        if key in found:
            ms = found[key]["ms"]
            rows += [(side, part, s["p50"], s["p90"], s["p99"], s["max"], s["mean"]) for part, s in ms.items()]
    yield _table(
        "Queries, milliseconds (LlamaIndex: question to passages only; it has no answerer without an LLM)",
        ("", "part", "p50", "p90", "p99", "max", "mean"),
        rows,
    )
    rows = [
        (side, one["questions"], one.get("refused", ""), one["first_answer_s"], one.get("caught_up_s", ""))
        for key, side in sides
        if (one := found.get(key))
    ]
    yield _table("", ("", "questions", "refused", "first answer s", "caught up s"), rows)
    yield _memory(*((f"queries, {side}", found.get(key)) for key, side in sides))


def _check(found: Json, results: Json) -> Iterator[str]:
    rows = [(part, s["p50"], s["p90"], s["p99"], s["max"], s["mean"]) for part, s in found["ms"].items()]
    title = "Around a language model, milliseconds (an answer of five sentences, streamed and checked)"
    yield _table(title, ("part", "p50", "p90", "p99", "max", "mean"), rows)
    stood = f"{found['stood']:.1%} of the sentences stood"
    yield f"gate and check over encoding the question, p50: {found['ratio_p50']} ({stood})"


def _citations(found: Json, results: Json) -> Iterator[str]:
    rows: list[Row] = []
    for name, kinds in found.items():
        if name == "human":
            rows.append((name, "people's own answers", kinds["sentences"], f"{1 - kinds['stood']:.2%}", ""))
        elif isinstance(kinds, dict):
            for kind, one in kinds.items():
                true = kind.startswith("true")
                share = f"{1 - one['stood'] if true else one['stood']:.2%}"
                rows.append((name, kind, one["sentences"], share if true else "", "" if true else share))
    yield _table("The citation check over real passages", ("set", "sentences made", "n", "dropped", "stood"), rows)


def _ask(found: Json, results: Json) -> Iterator[str]:
    sides = [("ragstone", "ragstone ask"), ("peer", "LlamaIndex, passages only")]
    rows = [
        (side, one["median_s"], min(one["seconds"]), max(one["seconds"]), round(one["peak_mb"]))
        for key, side in sides
        if (one := found.get(key))
    ]
    yield _table("One question as a whole process", ("", "median s", "min", "max", "peak MB"), rows)


def _encoder(found: Json, results: Json) -> Iterator[str]:
    rows = [
        (
            name,
            one["query_ms"]["p50"],
            one["query_ms"]["p99"],
            one["texts_per_s"],
            one["load_s"],
            round(one["peak_mb"]),
            *(f"{one['cosine_to_fp32'][part]:.6f}" if one["cosine_to_fp32"] else "" for part in ("min", "mean")),
        )
        for name, one in found.items()
    ]
    heads = ("", "query ms p50", "p99", "texts/s", "import, load s", "peak MB", "cosine min", "mean")
    yield _table("The encoder alone", heads, rows)


def _memory(*sides: tuple[str, Json | None]) -> str:
    rows = [(side, round(one["peak_mb"])) for side, one in sides if one]
    return _table("", ("peak memory", "MB"), rows)


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns as wide as they need to be, those of numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    columns = list(zip(heads, *cells, strict=True))
    widths = [max(map(len, column)) for column in columns]
    numbers = [all(_NUMBER.fullmatch(text) for text in column[1:]) for column in columns]
    lines = [title] if title else []
    for row in (heads, *cells):
        placed = (
            text.rjust(width) if is_number else text.ljust(width)
            for text, width, is_number in zip(row, widths, numbers, strict=True)
        )
        lines.append("  ".join(placed).rstrip())
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"
    return f"{value}"
