"""From a source to a shard: reader, node parser, encoder, shard writer. Resumable, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from ragstone.core import BadRequest, Host, SourceError
from ragstone.core.answering import check_type

from ..parsers.article_parser import ArticleNodeParser
from ..parsers.chunker import CHUNKING_VERSION, LONGEST, SHORTEST
from ..readers.article_reader import ReadRequest
from ..readers.articles import ARTICLES_VERSION
from ..readers.sources import identity
from .batches import Batch, Batches, find_files, open_stream
from .journal import SHARD, Journal, work_folder
from .publication import publish
from .writer import UNKNOWN_LICENSE, ShardWriter, shard_row

if TYPE_CHECKING:
    from llama_index.core.readers.base import BaseReader

    from .manifest import ShardEntry

_DUMP_DATE = re.compile(r"-(20\d\d)(\d\d)(\d\d)-")


@dataclass(frozen=True)
class BuildOptions:
    """What is to be built."""

    source: Path
    #: The folder of the manifest.
    out: Path
    id: str
    kind: str = "wiki"
    domain: str | None = None
    #: By default the source's own.
    language: str | None = None
    license: str | None = None
    #: At most so many articles.
    limit: int | None = None
    #: Only articles with the titles in this file, and in whose title the pattern is found.
    titles: Path | None = None
    match: str | None = None
    #: Before titles in addresses, in place of the source's own.
    url_prefix: str = ""

    def __post_init__(self) -> None:
        """Raises ``BadRequest`` for a value of another type."""
        check_fields(self, "source out", Path, "a path")
        check_fields(self, "id kind url_prefix", str, "a string")
        check_fields(self, "domain language license match", (str, NoneType), "a string or None")
        check_fields(self, "titles", (Path, NoneType), "a path or None")
        check_fields(self, "limit", (int, NoneType), "a whole number or None")


@dataclass(frozen=True)
class BuildProgress:
    """Progress of a build."""

    articles: int
    chunks: int
    #: Chunks of an earlier run.
    resumed: int
    #: Share of the source that has been read.
    share: float


@dataclass
class BuildReport:
    """The result of a build."""

    entry: ShardEntry
    folder: Path
    articles: int
    chunks: int
    resumed: int
    left_out: dict[str, int] = field(default_factory=dict)


def check_fields(options: object, names: str, types: type | tuple[type, ...], expected: str) -> None:
    """Raise ``BadRequest`` for a field that is of none of the types."""
    for name in names.split():
        check_type(getattr(options, name), name, types, expected)


def build_shard(
    options: BuildOptions,
    host: Host,
    *,
    restart: bool = False,
    on_progress: Callable[[BuildProgress], None] = lambda _: None,
) -> BuildReport:
    """Build the shard, or resume the build that was begun with the same options.

    Raises ``BadRequest`` for other options than those of the unfinished build, ``SourceError``, ``StorageError`` and
    its kin, ``EncoderError``.
    """
    check_type(options, "options", BuildOptions, "BuildOptions")
    check_type(host, "host", Host, "an open Host")
    check_type(restart, "restart", bool, "True or False")
    check_type(on_progress, "on_progress", Callable, "a function")  # type: ignore[arg-type]
    files, reader = find_files(options.source, host)
    with work_folder(options.out, options.id, restart=restart) as work:
        return _Build(options, host, files, work, on_progress).run(reader)


class _Build:
    def __init__(
        self,
        options: BuildOptions,
        host: Host,
        files: list[Path],
        work: Path,
        on_progress: Callable[[BuildProgress], None],
    ) -> None:
        self._options = options
        self._encoder = host.encoder
        self._files = files
        self._work = work
        self._on_progress = on_progress
        self._total = max(1, sum(path.stat().st_size for path in self._files))
        self._journal = Journal(work)
        self._begin()

    def _begin(self) -> None:
        """Note the options in the journal, or compare them with those of the unfinished build."""
        options = self._fingerprint()
        before = self._journal.options
        if before is None:
            self._journal.add(options=options)
        elif before != options:
            names = [name for name in options if before.get(name) != options[name]]
            raise BadRequest(
                f"an unfinished build of {self._options.id!r} was begun with another {', '.join(names)}",
                where=str(self._work),
                hint="give the same options to go on with it, or --restart to begin anew",
            )

    def _fingerprint(self) -> dict[str, Any]:
        options = self._options
        named = {name: getattr(options, name) for name in ("kind", "domain", "language", "license", "limit", "match")}
        return {
            "source": [identity(path) for path in self._files],
            "encoder": self._encoder.fingerprint,
            **named,
            "titles": identity(options.titles) if options.titles else None,
            "url_prefix": options.url_prefix,
            "cutting": [SHORTEST, LONGEST, CHUNKING_VERSION, ARTICLES_VERSION],
        }

    def run(self, reader: BaseReader | None) -> BuildReport:
        """Do what is left to do."""
        resumed = int(self._journal.last.get("rows", 0))
        if self._journal.finished is None:
            self._write(resumed, reader)
        last = self._journal.last
        articles = last["place"]["articles"] if last.get("place") else 0
        if not last.get("rows"):
            left = ", ".join(f"{count} {why}" for why, count in last.get("left_out", {}).items())
            raise SourceError(
                f"no article was found to build from{f'; left out: {left}' if left else ''}",
                where=str(self._options.source),
                hint="look at --titles and --match" if self._options.titles or self._options.match else None,
            )
        entry, folder = publish(self._journal, self._options.out, self._describe)
        return BuildReport(entry, folder, articles, last["rows"], resumed, last["left_out"])

    def _write(self, resumed: int, reader: BaseReader | None) -> None:
        last = self._journal.last
        writer = ShardWriter(
            self._work / SHARD, self._encoder.dimension, rows=resumed, metadata_bytes=last.get("metadata_bytes", 0)
        )
        newest = last.get("newest")
        before = Batch(
            place=last.get("place"),
            left_out=last.get("left_out", {}),
            newest=(newest[0], newest[1]) if newest else None,
            about=last.get("about", {}),
        )
        options = self._options
        request = ReadRequest(
            tuple(self._files), options.titles, options.match, options.url_prefix, self._work, before.place
        )
        stream = open_stream(request, reader)
        try:
            for batch in Batches(stream, ArticleNodeParser.of(self._encoder), before, options.limit):
                if batch.nodes:
                    rows = [self._row(node.node_id, {**node.metadata, "text": node.text}) for node in batch.nodes]
                    texts = [f"{row['title']}\n{row['text']}" if row["title"] else row["text"] for row in rows]
                    writer.add(self._encoder.embed_texts(texts), rows)
                self._note(batch, writer)
                self._on_progress(self._progress(batch, writer.rows, resumed))
            writer.finish()
        finally:
            writer.close()

    def _row(self, node_id: str, metadata: dict[str, Any]) -> dict[str, Any]:
        licence = self._options.license or metadata.get("license")
        return shard_row({**metadata, "id": node_id, "license": licence, "domain": self._options.domain})

    def _note(self, batch: Batch, writer: ShardWriter) -> None:
        state = {name: getattr(batch, name) for name in ("place", "done", "left_out", "newest", "about")}
        self._journal.add(rows=writer.rows, metadata_bytes=writer.metadata_bytes, **state)

    def _progress(self, batch: Batch, rows: int, resumed: int) -> BuildProgress:
        articles = batch.place["articles"] if batch.place else 0
        share = batch.done / self._total
        if self._options.limit:
            share = max(share, articles / self._options.limit)
        return BuildProgress(articles, rows, resumed, min(1.0, share))

    def _describe(self) -> dict[str, Any]:
        """The finished shard's entry, but for its files."""
        options, last = self._options, self._journal.last
        about = last.get("about", {})
        return {
            "id": options.id,
            "kind": options.kind,
            "dim": self._encoder.dimension,
            "size": last["rows"],
            "license": options.license or about.get("license") or UNKNOWN_LICENSE,
            "language": options.language or about.get("language"),
            "domain": options.domain,
            "source": self._source(about, last.get("newest")),
            "encoder": {"model": self._encoder.model.model_name, "fingerprint": self._encoder.family},
        }

    def _source(self, about: dict[str, Any], newest: list[Any] | None) -> dict[str, str]:
        """What the shard was built from: a dump's date is in its name, or else that of its newest article."""
        from .verification import sum_of

        named = _DUMP_DATE.search(self._files[0].name)
        date = about.get("date") or ("-".join(named.groups()) if named else newest[0] if newest else None)
        found = {"name": self._options.source.resolve().name, "date": date}
        found["revision"] = about.get("revision") or (newest[1] if newest else None)
        if len(self._files) == 1:
            found["sha256"] = sum_of(self._files[0])[0]
        return {name: value for name, value in found.items() if value}
