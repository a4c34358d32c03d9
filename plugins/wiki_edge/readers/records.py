"""Articles in columns: the JSON lines and the parquet of wikimedia/wikipedia, and BEIR's corpus."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from ragstone.core import SourceError
from ragstone.core.runtime import parse_json

from .articles import LONGEST_ARTICLE, About, Page, Source, Span, Text, address
from .compression import FileSlice, copied, is_packed
from .prose import encyclopedic_blocks, plain_blocks

_WIKIMEDIA = ("id", "url", "title", "text")
_BEIR = ("_id", "title", "text")
_LONGEST_LINE = 2 * LONGEST_ARTICLE
_LONGEST_NAME = 4096
_ROWS_A_BATCH = 64
#: Addresses of any other kind are dropped.
_WEB = ("https://", "http://")
_BUFFER = 1 << 20
_BUFFER_LINES = 1 << 13
_LINE_END = re.compile(rb"\n")
#: How much smaller gzip makes lines.
_PACKED = 3
_HINT = 'a line is {"id", "url", "title", "text"} as in wikimedia/wikipedia, or {"_id", "title", "text"} as in BEIR'
#: The licence of wikimedia/wikipedia, by its own page.
_LICENSE = "CC-BY-SA-3.0"


class JsonLines(Source):
    """``.jsonl`` and ``.jsonl.gz``; articles that bring an address keep it."""

    def about(self) -> About:
        """Of wikimedia/wikipedia, by the first line; BEIR's lines have no metadata."""
        with self._opened(None) as file:
            line = file.readline(_LONGEST_LINE + 1)
            first = self._parsed(line, 1) if line else {}
        return _about(first)

    def pages(self, span: Span | None = None) -> Iterator[Page]:
        """An article a line. A span is one of bytes."""
        number = span.line if span else 0
        with self._opened(span) as file:
            try:
                while line := file.readline(_LONGEST_LINE + 1):
                    number += 1
                    if line.strip():
                        yield _page(self._parsed(line, number), self._where(number), self.prefix)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise SourceError(f"cannot be decompressed: {error}", where=self._where(number + 1)) from error

    def spans(self, size: int) -> Iterator[Span]:
        """Ranges of lines; a compressed file is copied beside, unless it is small."""
        whole = self.path.stat().st_size
        if is_packed(self.path):
            ends = iter([(whole, 0)])
            if self.beside and whole > size // _PACKED:
                ends = copied(self.path, self.beside, size, _LINE_END)
        else:
            ends = self._line_ends(size)
        start = lines = 0
        for end, count in ends:
            yield Span(start, end, lines)
            start, lines = end, lines + count

    def _line_ends(self, size: int) -> Iterator[tuple[int, int]]:
        """Where lines end, at least ``size`` bytes apart, and how many there are up to there."""
        with self.path.open("rb") as file:
            while data := file.read(size):
                count, end = data.count(b"\n"), data.endswith(b"\n")
                while not end and (rest := file.readline(_BUFFER)):
                    count, end = count + rest.count(b"\n"), rest.endswith(b"\n")
                yield file.tell(), count

    @contextmanager
    def _opened(self, span: Span | None) -> Iterator[BinaryIO]:
        """The lines of the span, decompressed."""
        path, start, stop = (self.copy, span.start, span.stop) if span else (self.path, 0, None)
        with FileSlice(path, start, stop) as raw:
            buffered = cast("BinaryIO", io.BufferedReader(raw, _BUFFER_LINES))
            yield cast("BinaryIO", gzip.GzipFile(fileobj=buffered)) if is_packed(path) else buffered

    def _where(self, line: int) -> str:
        return f"{self.path}:{line}"

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        if len(line) > _LONGEST_LINE:
            raise SourceError(f"the line is longer than {_LONGEST_LINE} bytes", where=self._where(number))
        try:
            value = parse_json(line.decode())
        except ValueError as error:
            raise SourceError(f"is not JSON: {error}", where=self._where(number), hint=_HINT) from error
        if not isinstance(value, dict):
            raise SourceError("is not a JSON object", where=self._where(number), hint=_HINT)
        return value


class Parquet(Source):
    """A parquet file, read in batches of a few rows; articles that bring an address keep it."""

    def about(self) -> About:
        """Its columns must be those of wikimedia/wikipedia or of BEIR."""
        with self._opened() as file:
            batch = next(file.iter_batches(1, columns=list(self._columns(file))), None)
            return _about(batch.to_pylist()[0] if batch is not None and batch.num_rows else {})

    def pages(self, span: Span | None = None) -> Iterator[Page]:
        """An article a row. A span is one of rows."""
        with self._opened(pre_buffer=False, buffer_size=_BUFFER) as file:
            columns, number = list(self._columns(file)), 0
            span = span or Span(0, file.metadata.num_rows)
            for group in range(file.num_row_groups):
                if number + file.metadata.row_group(group).num_rows <= span.start:
                    number += file.metadata.row_group(group).num_rows
                    continue
                for batch in file.iter_batches(_ROWS_A_BATCH, [group], columns, use_threads=False):
                    for record in batch.to_pylist():
                        number += 1
                        if number > span.stop:
                            return
                        if number > span.start:
                            yield _page(record, f"{self.path}: row {number}", self.prefix)

    def spans(self, size: int) -> Iterator[Span]:
        """Row groups, together where they are small; the rows of a large one in several spans."""
        with self._opened() as file:
            groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        start = stop = waiting = 0
        for group in groups:
            pieces = max(1, min(group.num_rows, group.total_byte_size // size))
            for piece in range(1, pieces + 1):
                end = stop + group.num_rows * piece // pieces
                waiting += group.total_byte_size // pieces
                if waiting >= size or piece < pieces:
                    yield Span(start, end)
                    start, waiting = end, 0
            stop += group.num_rows
        if stop > start:
            yield Span(start, stop)

    def _columns(self, file: Any) -> tuple[str, ...]:
        import pyarrow.types as types

        schema = file.schema_arrow
        for columns in (_WIKIMEDIA, _BEIR):
            if set(columns) <= set(schema.names):
                for name in columns:
                    kind = schema.field(name).type
                    if not (types.is_string(kind) or types.is_large_string(kind)):
                        raise SourceError(f"the column {name} holds {kind}, not text", where=str(self.path))
                return columns
        found = ", ".join(name[:40] for name in schema.names[:12])
        raise SourceError(f"has the columns {found}", where=str(self.path), hint=_HINT)

    @contextmanager
    def _opened(self, **options: Any) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self.path, **options) as file:
                yield file
        except (pa.ArrowException, OSError) as error:
            reason = str(error).partition("\n")[0][:300]
            raise SourceError(f"is not a whole parquet file: {reason}", where=str(self.path)) from error


def _page(record: Mapping[str, Any], where: str, prefix: str) -> Page:
    """The article in a record. Raises ``SourceError`` with the place."""
    beir = "_id" in record
    name = record.get("_id" if beir else "id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    values = {"id": name, "text": record.get("text"), "title": record.get("title", "" if beir else None)}
    values["url"] = record.get("url", "")
    for field, value in values.items():
        if not isinstance(value, str) or (field == "id" and not value.strip()):
            raise SourceError(
                f"has no {field}" if value is None else f"its {field} is no text", where=where, hint=_HINT
            )
        limit = LONGEST_ARTICLE if field == "text" else _LONGEST_NAME
        if len(value) > limit:
            raise SourceError(f"its {field} is longer than {limit} characters", where=where)
    text, title = values["text"], values["title"].strip()
    return Page(
        id=values["id"].strip(),
        title=title,
        url=values["url"].strip() if values["url"].startswith(_WEB) else address(prefix, title),
        read=lambda: Text(plain_blocks(text) if beir else encyclopedic_blocks(text)),
    )


def _about(first: Mapping[str, Any]) -> About:
    """What is known of wikimedia/wikipedia, with ``en`` of ``https://en.wikipedia.org/…``; nothing of BEIR."""
    if not first or "_id" in first:
        return About()
    host = str(first.get("url", "")).partition("://")[2].partition("/")[0]
    name, _, rest = host.partition(".")
    return About(language=name if rest == "wikipedia.org" and name.isascii() else None, license=_LICENSE)
