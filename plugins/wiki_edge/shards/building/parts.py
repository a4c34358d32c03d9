"""Parts of a plan: built each into a folder of its own, with checksums, and put in place by one rename."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragstone.core import Host, RagstoneError, StorageError
from ragstone.core.runtime import sync_folder
from ragstone.core.text import pack

from ...parsers.article_parser import ArticleNodeParser
from ...readers.article_reader import ArticleStream, ReadRequest
from ...readers.selection import plain, read_titles
from ..file_arrays import GrowingArray
from ..manifest import FileSum
from ..releases import sync_tree
from ..side_files import headings_of
from ..verification import sums_in
from ..writer import ShardWriter, embedded_text, line_of, shard_row
from .batches import Batches, DocumentStream
from .leases import Leases
from .plan import FIRST, TITLES, Part, Plan, reader_of
from .work_folder import PARTS, RESTART

#: In the folder of a finished part: what is in it, and each article's id with its number of chunks and
#: whether they have vectors.
RECORD, ARTICLES = "part.json", "articles.jsonl"
#: The packed terms of its chunks in order, and how many numbers each has: so merging need not make them.
PACKED, PACKED_SIZES = "packed.npy", "packed-sizes.npy"
SCRATCH = "scratch"


@dataclass(frozen=True)
class PartRecord:
    """What is in a finished part."""

    rows: int
    #: Chunks without a vector.
    rest: int
    articles: int
    #: Articles left out, by reason.
    left_out: dict[str, int]
    #: Newest change of an article: ISO date-time and revision.
    newest: tuple[str, str | None] | None
    files: dict[str, FileSum]
    #: Who built it, and in how many seconds.
    worker: str
    seconds: float


_RECORD = TypeAdapter(PartRecord)


def part_folder(plan: Plan, number: int) -> Path:
    """Where the finished part is, or will be."""
    return plan.folder / PARTS / f"{number:06d}"


def finished(plan: Plan) -> set[int]:
    """The parts that are built."""
    return {int(path.name) for path in (plan.folder / PARTS).iterdir() if path.name.isdigit()}


def record_of(plan: Plan, number: int) -> PartRecord:
    """What is in the finished part. Raises ``StorageError`` where that cannot be read."""
    path = part_folder(plan, number) / RECORD
    try:
        return _RECORD.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise damaged(plan, number, "its record cannot be read") from error


def damaged(plan: Plan, number: int, what: str) -> StorageError:
    """The error for a finished part that is not as it was written."""
    hint = f"remove that folder, and the part is built again; {RESTART}"
    return StorageError(f"part {number + 1} is damaged: {what}", where=str(part_folder(plan, number)), hint=hint)


class PartBuilder:
    """Builds parts of a plan in this process, beside any number of other workers."""

    def __init__(self, plan: Plan, host: Host) -> None:
        """Raises ``BadRequest`` where this deployment or the source is another than the plan's."""
        self._plan = plan
        self._reader = reader_of(plan, host)
        self._encoder = host.hooks.encoder
        self._leases = Leases(plan.folder)
        self._parser = ArticleNodeParser.of(self._encoder)
        #: Titles of the articles that get vectors; ``None``: all.
        self._first = read_titles(plan.folder / FIRST) if plan.options.first is not None else None

    def build_free(self, numbers: Iterable[int], on_rows: Callable[[int], None] = lambda _: None) -> bool:
        """Build the first of the parts that nobody builds, unless it was finished meanwhile; whether there was one.

        Raises as ``build``.
        """
        taken = self._leases.take(numbers)
        if taken is None:
            return False
        with taken[1]:
            if taken[0] not in finished(self._plan):
                self.build(self._plan.parts[taken[0]], on_rows)
        return True

    def build(self, part: Part, on_rows: Callable[[int], None]) -> None:
        """Build the part and put it in place; ``on_rows`` is given its rows so far after each batch.

        Raises ``RagstoneError`` with the part's name in the hint, and ``OSError``.
        """
        scratch = self._plan.folder / SCRATCH / f"{part.number:06d}.{self._leases.worker}"
        try:
            scratch.mkdir(parents=True)
            self._write(part, scratch, on_rows)
            sync_tree(scratch)
            try:
                scratch.rename(part_folder(self._plan, part.number))
            except OSError:
                if part.number not in finished(self._plan):  # by another worker, with the same bytes
                    raise
            sync_folder(self._plan.folder / PARTS)
        except RagstoneError as error:
            if len(self._plan.parts) > 1:
                error.hint = "; ".join(filter(None, (error.hint, f"it is {self._plan.name(part)}")))
            raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _write(self, part: Part, folder: Path, on_rows: Callable[[int], None]) -> None:
        plan, options = self._plan, self._plan.options
        begun = time.monotonic()
        request = ReadRequest(
            plan.files,
            plan.folder / TITLES if options.titles else None,
            options.match,
            options.url_prefix,
            {name: getattr(part, name) for name in ("file", "start", "stop", "line")},
            plan.folder,
        )
        reader = self._reader
        stream = ArticleStream(request) if reader is None else DocumentStream(request, reader=reader)
        stream.about = dict(plan.about)
        batches = Batches(stream, self._parser, options.limit)
        with (
            ShardWriter(folder, plan.dimension) as writer,
            GrowingArray(folder / PACKED, "<u4") as packed,
            GrowingArray(folder / PACKED_SIZES, "<u4") as sizes,
        ):
            for batch in batches:
                rows = [self._row(node.node_id, {**node.metadata, "text": node.text}) for node in batch]
                first = [row for row in rows if self._is_first(row["title"])]
                rest = [row for row in rows if not self._is_first(row["title"])]
                if first:
                    writer.add(self._encoder.embed_texts([embedded_text(row) for row in first]), first)
                writer.add_rest(b"".join(line_of(row) for row in rest))
                terms = [pack(headings_of(row), row["text"]) for row in rows]
                packed.add_bytes(b"".join(terms))
                sizes.add([len(each) // 4 for each in terms])
                on_rows(writer.rows)
        articles = ((name, rows, self._is_first(title)) for name, rows, title in batches.articles)
        (folder / ARTICLES).write_bytes(b"".join(line_of(article) for article in articles))
        record = PartRecord(
            rows=writer.rows,
            rest=writer.rest,
            articles=len(batches.articles),
            left_out=dict(stream.left_out),
            newest=batches.newest,
            files=sums_in({path.name: path for path in folder.iterdir()}),
            worker=self._leases.worker,
            seconds=round(time.monotonic() - begun, 3),
        )
        (folder / RECORD).write_bytes(_RECORD.dump_json(record))

    def _is_first(self, title: str) -> bool:
        return self._first is None or plain(title) in self._first

    def _row(self, node_id: str, metadata: dict[str, Any]) -> dict[str, Any]:
        options = self._plan.options
        licence = options.license or metadata.get("license")
        return shard_row({**metadata, "id": node_id, "license": licence, "domain": options.domain})
