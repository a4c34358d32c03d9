"""The catalog's tables. They hold all of Ragstone's data; the vector index is built from them.

``corpus.seq`` increases by one with every change. A document has the number of its last change, a removed one leaves a
tombstone with its number, so that a follower can find all changes after a number.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import JSON as TEXT_JSON
from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    bindparam,
    func,
    insert,
    select,
    update,
)
from sqlalchemy import Text as AnyText
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine

from ..errors import StorageError

_log = logging.getLogger(__name__)

#: Increased whenever the tables change; ``creation`` refuses a newer version and upgrades an older one in place.
SCHEMA_VERSION = 6


class JsonObject(TypeDecorator[Any]):
    """A JSON object: text in SQLite, ``jsonb`` in PostgreSQL, whose dialect is imported only for it."""

    impl = TEXT_JSON
    cache_ok = True

    def __init__(self, damaged: Literal["error", "none", "empty"] = "error") -> None:
        """``damaged``: what is read of a value that is no object: ``StorageError``, or ``None`` or no keys where one
        damaged row must not take all others with it; ``ragstone corpus check`` names it."""
        super().__init__()
        self.damaged = damaged

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name != "postgresql":
            return dialect.type_descriptor(TEXT_JSON(none_as_null=True))
        from sqlalchemy.dialects.postgresql import JSONB

        return dialect.type_descriptor(JSONB(none_as_null=True))

    def process_result_value(self, value: Any, dialect: Dialect) -> dict[str, Any] | None:  # noqa: ARG002
        if isinstance(value, dict) or (value is None and self.damaged == "none"):
            return value
        raise StorageError("a row is damaged: its JSON is no object", hint="ragstone corpus check names it")

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        decode = super().result_processor(dialect, coltype)
        assert decode is not None  # noqa: S101 - as there is ``process_result_value``

        def decode_or_replace(value: Any) -> dict[str, Any] | None:
            try:
                return decode(value)
            except StorageError as error:
                _log.error("%s", error)
                return {} if self.damaged == "empty" else None

        return decode if self.damaged == "error" else decode_or_replace

    def coerce_compared_value(self, op: OperatorType | None, value: Any) -> TypeEngine[Any]:
        return self.impl_instance.coerce_compared_value(op, value)  # a key is a text


class Moment(TypeDecorator[datetime]):
    """A moment that nothing depends on: 1970 where the stored value is none, as SQLite takes any."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        decode = super().result_processor(dialect, coltype) or (lambda value: value)

        def decode_or_replace(value: Any) -> datetime | None:
            try:
                return decode(value)
            except (TypeError, ValueError):
                _log.error("a row is damaged: its moment cannot be read")
                return datetime.fromtimestamp(0, UTC)

        return decode_or_replace


class ChangeNumber(TypeDecorator[int]):
    """The number of a change; where the stored value is none, ``damaged`` is read, or ``StorageError`` raised."""

    impl = Integer
    cache_ok = True

    def __init__(self, damaged: int | None = None) -> None:
        super().__init__()
        self.damaged = damaged

    def process_result_value(self, value: Any, dialect: Dialect) -> int:  # noqa: ARG002
        if isinstance(value, int):
            return value
        if self.damaged is None:
            raise StorageError("the change number of a corpus is damaged", hint="restore the database from a backup")
        _log.error("a row is damaged: its change number cannot be read")
        return self.damaged


# Collation "C", as in SQLite, whatever the locale of a PostgreSQL server.
Text = AnyText().with_variant(AnyText(collation="C"), "postgresql")
JSON, OPTIONAL_JSON, LENIENT_JSON = JsonObject(), JsonObject("none"), JsonObject("empty")

metadata = MetaData()

about = Table("about", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
#: Keys of ``about``: the catalog's id; the version of these tables; a mark that every chunk has a checksum.
CATALOG_ID, VERSION, ALL_CHECKSUMS = "id", "schema", "sealed"
# Built once: each question asks for the catalog's id.
_VALUE = select(about.c.value).where(about.c.key == bindparam("key"))


def read_about(connection: Connection, key: str) -> str | None:
    """The value of a key of ``about``."""
    return connection.execute(_VALUE, {"key": key}).scalar()


def write_about(connection: Connection, key: str, value: str) -> None:
    """Set the value of a key of ``about``."""
    if not connection.execute(update(about).where(about.c.key == key).values(value=value)).rowcount:
        connection.execute(insert(about).values(key=key, value=value))


corpus = Table(
    "corpus",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    #: ``active`` answers questions; ``building`` is filled meanwhile and replaces it when it is complete.
    Column("state", Text, nullable=False),
    Column("fingerprint", LENIENT_JSON, nullable=False),
    Column("seq", ChangeNumber, nullable=False, default=0),
    #: ``retrieval.calibration.Calibration`` as JSON.
    Column("calibration", OPTIONAL_JSON),
    Column("created_at", Moment, nullable=False, server_default=func.now()),
    UniqueConstraint("name", "state"),
    sqlite_autoincrement=True,  # an id is never used again after its corpus is removed
)

document = Table(
    "document",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("corpus_id", ForeignKey("corpus.id", ondelete="CASCADE"), nullable=False),
    Column("doc_id", Text, nullable=False),
    #: Hash of the reader's text and metadata: an unchanged document is not embedded again.
    Column("hash", Text, nullable=False),
    Column("seq", ChangeNumber(damaged=0), nullable=False),
    Column("text", Text, nullable=False),
    Column("metadata", LENIENT_JSON, nullable=False),
    #: ``packed_terms.count_kinds`` of its chunks; NULL in rows of an older Ragstone.
    Column("kinds", OPTIONAL_JSON),
    UniqueConstraint("corpus_id", "doc_id"),
    Index("document_by_change", "corpus_id", "seq"),
    sqlite_autoincrement=True,
)

chunk = Table(
    "chunk",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("corpus_id", ForeignKey("corpus.id", ondelete="CASCADE"), nullable=False),
    Column("document_id", ForeignKey("document.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("chunk_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("headings", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("metadata", JSON, nullable=False),
    #: The LlamaIndex node without its text, metadata and vector.
    Column("node", JSON, nullable=False),
    #: See ``checksums``; NULL in rows of an older Ragstone until ``ragstone corpus check`` has read them.
    Column("checksum", LargeBinary),
    #: float32, little-endian, C order, [windows, dimension].
    Column("vectors", LargeBinary, nullable=False),
    #: The terms packed by ``packed_terms.pack``; NULL in rows of an older Ragstone.
    Column("words", LargeBinary),
    #: The sentences' vectors packed by ``vectors.pack_sentences``; NULL in rows of an older Ragstone.
    Column("sentences", LargeBinary),
    UniqueConstraint("corpus_id", "chunk_id"),
    sqlite_autoincrement=True,
)

removed = Table(
    "removed",
    metadata,
    Column("corpus_id", ForeignKey("corpus.id", ondelete="CASCADE"), primary_key=True),
    Column("doc_id", Text, primary_key=True),
    Column("seq", Integer, nullable=False),
)

#: By schema version, the column that the next one added; an upgrade loses nothing and embeds nothing.
ADDED: dict[int, Column[Any]] = {
    1: corpus.c.calibration,
    2: chunk.c.words,
    3: chunk.c.checksum,
    4: chunk.c.sentences,
    5: document.c.kinds,
}
