"""From a source to a shard: resumable, in memory that does not grow with the source."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from ragstone.core import BadRequest, RagstoneError, SourceError, StorageBusy
from ragstone.core.runtime import OwnedFolders

from ..parsers.chunker import CHUNKING_VERSION, LONGEST, SHORTEST
from ..readers.articles import ARTICLES_VERSION
from ..readers.sources import files_of, identity
from .batches import Feeding
from .files import real
from .journal import JOURNAL, SHARD, Journal, PartFiles, is_begun
from .publication import place
from .storage import storage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragstone.core import Host

    from .batches import Batch
    from .manifest import ShardEntry
    from .publication import MakeSideFiles

UNKNOWN_LICENSE = "unknown"


@dataclass(frozen=True)
class Order:
    """What is to be built."""

    source: Path
    #: The folder of the manifest.
    out: Path
    id: str
    kind: str = "wiki"
    domain: str | None = None
    #: By default what the source says.
    language: str | None = None
    license: str | None = None
    limit: int | None = None
    titles: Path | None = None
    match: str | None = None
    #: Before the titles in addresses, in the place of what the source says.
    url_prefix: str = ""


@dataclass(frozen=True)
class BuildProgress:
    """How far a build is."""

    articles: int
    chunks: int
    #: Chunks that an earlier run had made.
    resumed: int
    #: Share of the source that has been read.
    share: float


@dataclass
class BuildReport:
    """What a build made."""

    entry: ShardEntry
    folder: Path
    articles: int
    chunks: int
    resumed: int
    left_out: dict[str, int] = field(default_factory=dict)


def build(
    order: Order,
    host: Host,
    *,
    restart: bool = False,
    on_progress: Callable[[BuildProgress], None] = lambda _: None,
    make_side_files: MakeSideFiles | None = None,
) -> BuildReport:
    """Build the shard, or go on with the one that was begun with the same order.

    Raises ``BadRequest`` for another order than the one that was begun, ``SourceError``, ``StorageError`` and its kin,
    ``EncoderError``.
    """
    files = files_of(order.source)
    with storage(order.out):
        order.out.mkdir(parents=True, exist_ok=True)
        folders = work_folders(order.out)
        work = folders.make(f".building-{order.id}", recognise=is_begun)
        try:
            with FileLock(work / "lock", timeout=0):
                if restart:
                    folders.clear(work.name, keep=("lock",))
                try:
                    report = _Build(order, host, files, work, on_progress).run(make_side_files)
                except RagstoneError:
                    if not Journal(work).last.get("rows"):  # nothing is lost with it
                        folders.remove(work.name)
                    raise
                folders.remove(work.name)
                return report
        except Timeout as error:
            raise StorageBusy(f"the shard {order.id!r} is being built by another process", where=str(work)) from error


class _Build:
    def __init__(
        self, order: Order, host: Host, files: list[Path], work: Path, on_progress: Callable[[BuildProgress], None]
    ) -> None:
        self._order = order
        self._encoder = host.encoder
        self._files = files
        self._work = work
        self._tell = on_progress
        self._total = max(1, sum(path.stat().st_size for path in files))
        self._journal = Journal(work)
        self._begin()

    def _begin(self) -> None:
        """Note what is being built, or see that it is the same as before."""
        options = self._options()
        before = self._journal.options
        if before is None:
            self._journal.add(options=options)
        elif before != options:
            names = [name for name in options if before.get(name) != options[name]]
            raise BadRequest(
                f"an unfinished build of {self._order.id!r} was begun with another {', '.join(names)}",
                where=str(self._work),
                hint="give the same options to go on with it, or --restart to begin anew",
            )

    def _options(self) -> dict[str, Any]:
        order = self._order
        return {
            "source": [identity(path) for path in self._files],
            "encoder": self._encoder.fingerprint,
            "kind": order.kind,
            "domain": order.domain,
            "language": order.language,
            "license": order.license,
            "limit": order.limit,
            "titles": identity(order.titles) if order.titles else None,
            "match": order.match,
            "url_prefix": order.url_prefix,
            "cutting": [SHORTEST, LONGEST, CHUNKING_VERSION, ARTICLES_VERSION],
        }

    def run(self, make_side_files: MakeSideFiles | None) -> BuildReport:
        """Do what is left to do."""
        resumed = int(self._journal.last.get("rows", 0))
        if self._journal.finished is None:
            self._embed(resumed)
        last = self._journal.last
        articles = last["place"]["articles"] if last.get("place") else 0
        if not last.get("rows"):
            left = ", ".join(f"{count} {why}" for why, count in last.get("left_out", {}).items())
            raise SourceError(
                f"no article was found to build from{f'; left out: {left}' if left else ''}",
                where=str(self._order.source),
                hint="look at --titles and --match" if self._order.titles or self._order.match else None,
            )
        entry, folder = place(self._journal, self._order, self._files, self._encoder, make_side_files)
        return BuildReport(entry, folder, articles, last["rows"], resumed, last["left_out"])

    def _embed(self, resumed: int) -> None:
        last = self._journal.last
        parts = PartFiles(
            self._work / SHARD, self._encoder.dimension, rows=resumed, metadata_bytes=last.get("metadata_bytes", 0)
        )
        feeding = self._feeding(last)
        try:
            for batch in feeding.batches():
                if batch.rows:
                    texts = [f"{row['title']}\n{row['text']}" if row["title"] else row["text"] for row in batch.rows]
                    vectors = self._encoder.embed_texts(texts)
                    parts.add(vectors, [self._row(row, feeding.about) for row in batch.rows])
                self._note(batch, parts, feeding)
                self._tell(self._progress(batch, parts, resumed))
            parts.finish()
        finally:
            parts.close()

    def _feeding(self, last: dict[str, Any]) -> Feeding:
        tokenizer = self._encoder.tokenizer_json
        path = self._work / "tokenizer.json"
        if tokenizer is not None:
            path.write_text(tokenizer, "utf-8")
        newest = last.get("newest")
        return Feeding(
            files=self._files,
            work=self._work,
            tokenizer=path if tokenizer is not None else None,
            prefix=self._order.url_prefix,
            titles=self._order.titles,
            match=self._order.match,
            limit=self._order.limit,
            place=last.get("place"),
            left_out=last.get("left_out", {}),
            newest=(newest[0], newest[1]) if newest else None,
        )

    def _row(self, row: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
        """The specification's fields first and in its order, then ours."""
        said = {name: row[name] for name in ("id", "title", "url", "text")}
        said["license"] = self._order.license or about.get("license") or UNKNOWN_LICENSE
        if self._order.domain:
            said["domain"] = self._order.domain
        return {**said, **{name: value for name, value in row.items() if name not in said}}

    def _note(self, batch: Batch, parts: PartFiles, feeding: Feeding) -> None:
        self._journal.add(
            rows=parts.rows,
            metadata_bytes=parts.metadata_bytes,
            place=batch.place,
            done=batch.done,
            left_out=batch.left_out,
            newest=batch.newest,
            about=feeding.about,
        )

    def _progress(self, batch: Batch, parts: PartFiles, resumed: int) -> BuildProgress:
        articles = batch.place["articles"] if batch.place else 0
        share = batch.done / self._total
        if self._order.limit:
            share = max(share, articles / self._order.limit)
        return BuildProgress(articles, parts.rows, resumed, min(1.0, share))


def work_folders(out: Path) -> OwnedFolders:
    """The folders of unfinished builds."""
    return OwnedFolders(real(out), "build", rf"lock|tokenizer\.json|ids\.sqlite.*|{re.escape(JOURNAL)}|{SHARD}")
