"""The finished parts as one shard: in the order of the parts, every checksum compared, every article once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from ragstone.core import BadRequest, SourceError

from ...readers.selection import SeenIds
from ...readers.worker import TWICE
from ..file_arrays import GrowingArray
from ..side_files import REST_NAMES, TEXT_NAMES
from ..writer import EMBEDDINGS, HEADER, METADATA, REST, ShardWriter
from .parts import ARTICLES, PACKED, PACKED_SIZES, PartRecord, damaged, part_folder, record_of
from .plan import Plan
from .work_folder import SHARD

#: The bytes of a file of one part, by its name.
Blocks = Callable[..., Iterator[bytes]]

_BLOCK = 2**20
_TERMS = (("packed", "<u4"), ("packed_starts", "<u8"))


@dataclass
class Merged:
    """What the parts are together."""

    articles: int = 0
    rows: int = 0
    #: Chunks without a vector.
    rest: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    newest: tuple[str, str | None] | None = None


def merge(plan: Plan, work: Path, wanted: range, on_part: Callable[[int], None] = lambda _: None) -> Merged:
    """Write the shard of the wanted parts into the folder ``work``. May be repeated.

    Raises ``BadRequest`` where a part is missing, ``StorageError`` where one is damaged, ``SourceError`` where there is
    nothing in any of them, ``OSError``.
    """
    missing = [number for number in wanted if not part_folder(plan, number).exists()]
    if missing:
        what = f"{len(missing):,} of {len(wanted):,} parts are not built yet, the first is {missing[0] + 1}"
        raise BadRequest(what, where=str(plan.folder), hint=f"ragstone wiki work {plan.folder}")
    found, limit = Merged(), plan.options.limit
    with ShardWriter(work / SHARD, plan.dimension) as writer, closing(SeenIds()) as seen, ExitStack() as stack:
        terms = [
            [stack.enter_context(GrowingArray(work / SHARD / names[purpose], dtype)) for purpose, dtype in _TERMS]
            for names in (TEXT_NAMES, REST_NAMES)
        ]
        for number in wanted:
            record = record_of(plan, number)
            blocks = partial(_blocks, plan, number, record)
            articles = [json.loads(line) for line in b"".join(blocks(ARTICLES)).splitlines()]
            taken = []
            for name, *_ in articles:
                is_wanted = found.articles != limit
                is_new = is_wanted and seen.is_new(name)
                found.articles += is_new
                found.left_out[TWICE] += is_wanted and not is_new
                taken.append(is_new)
            found.left_out.update(record.left_out)
            _add(writer, blocks, articles, taken)
            _add_terms(terms, blocks, articles, taken)
            if record.newest is not None and (found.newest is None or record.newest[0] > found.newest[0]):
                found.newest = record.newest
            on_part(number + 1)
        for packed, starts in terms:
            starts.add([len(packed)])
    if not writer.rest:
        for purpose, _ in _TERMS:
            (work / SHARD / REST_NAMES[purpose]).unlink()
    found.rows, found.rest, found.left_out = writer.rows, writer.rest, +found.left_out
    if found.rest and not found.rows:
        what = f"none of the first {plan.options.first:,} titles was found"
        raise SourceError(what, where=str(plan.options.source), hint="look at --counts: titles as the source has them")
    if not found.rows:
        left = ", ".join(f"{count} {why}" for why, count in found.left_out.items())
        raise SourceError(
            f"no article was found to build from{f'; left out: {left}' if left else ''}",
            where=str(plan.options.source),
            hint="look at --titles and --match" if plan.options.titles or plan.options.match else None,
        )
    return found


def _add(writer: ShardWriter, blocks: Blocks, articles: list[tuple[str, int, bool]], taken: list[bool]) -> None:
    """Append the chunks of the articles that are taken. ``articles``: id, number of chunks, whether with vectors."""
    parts = blocks(EMBEDDINGS, skip=HEADER), blocks(METADATA), blocks(REST)
    adding = writer.vectors.add_bytes, writer.add_lines, writer.add_rest
    if all(taken):
        for part, add in zip(parts, adding, strict=True):
            for block in part:
                add(block)
        return
    raw = b"".join(parts[0])
    lines, rest = (b"".join(part).splitlines(keepends=True) for part in parts[1:])
    size, row, other = len(raw) // max(1, len(lines)), 0, 0
    for (_, count, is_first), is_taken in zip(articles, taken, strict=True):
        if is_taken and is_first:
            writer.vectors.add_bytes(raw[row * size : (row + count) * size])
            writer.add_lines(b"".join(lines[row : row + count]))
        elif is_taken:
            writer.add_rest(b"".join(rest[other : other + count]))
        row, other = (row + count, other) if is_first else (row, other + count)


def _add_terms(
    terms: list[list[GrowingArray]], blocks: Blocks, articles: list[tuple[str, int, bool]], taken: list[bool]
) -> None:
    """Append the packed terms of the articles that are taken: those with vectors, and those without."""
    numbers = np.frombuffer(b"".join(blocks(PACKED, skip=HEADER)), "<u4")
    sizes = np.frombuffer(b"".join(blocks(PACKED_SIZES, skip=HEADER)), "<u4").astype(np.int64)
    counts = [count for _, count, _ in articles]
    for has_vectors, (packed, starts) in zip((True, False), terms, strict=True):
        wanted = [is_taken and each[2] == has_vectors for each, is_taken in zip(articles, taken, strict=True)]
        rows = np.repeat(np.array(wanted, bool), counts)
        kept = sizes[rows]
        starts.add(len(packed) + np.cumsum(kept) - kept)
        packed.add(numbers[np.repeat(rows, sizes)])


def _blocks(plan: Plan, number: int, record: PartRecord, name: str, skip: int = 0) -> Iterator[bytes]:
    """The bytes of a finished part's file after the first ``skip``. Raises ``StorageError`` at its end where they are
    not those of its checksum."""
    if name not in record.files and name == REST:
        return
    digest = sha256()
    try:
        with (part_folder(plan, number) / name).open("rb") as file:
            digest.update(file.read(skip))
            while block := file.read(_BLOCK):
                digest.update(block)
                yield block
    except FileNotFoundError as error:
        raise damaged(plan, number, f"{name} is missing") from error
    if name not in record.files or digest.hexdigest() != record.files[name].sha256:
        raise damaged(plan, number, f"{name} has another SHA-256 than it was written with")
