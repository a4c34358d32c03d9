"""The catalog's tables. Everything that Ragstone knows is in them; the vector index is made of them.

``corpus.seq`` advances by one with every change. A document carries the number of its last change, a removed one
leaves a tombstone with its number, so that a follower learns what changed since the last change that it knows.
"""

from __future__ import annotations

from sqlalchemy import JSON as TEXT_JSON
from sqlalchemy import (
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    func,
)
from sqlalchemy import Text as AnyText
from sqlalchemy.dialects.postgresql import JSONB

#: Raised whenever the tables change; `catalog.py` refuses a newer one and says so, and upgrades an older one in place
#: by the ``upgrades`` of its database.
SCHEMA_VERSION = 4

# Sorted and compared letter by letter, as SQLite does, whatever the language of a PostgreSQL server.
Text = AnyText().with_variant(AnyText(collation="C"), "postgresql")
JSON = TEXT_JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")

metadata = MetaData()

about = Table("about", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

corpus = Table(
    "corpus",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    #: ``active`` answers; ``building`` is made beside it and takes its place when it is whole.
    Column("state", Text, nullable=False),
    Column("fingerprint", JSON, nullable=False),
    Column("seq", Integer, nullable=False, default=0),
    #: What the corpus made of the bank of foreign questions; see ``calibration``.
    Column("calibration", JSON),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    UniqueConstraint("name", "state"),
    sqlite_autoincrement=True,  # an id is never given twice, not even after its corpus is gone
)

document = Table(
    "document",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("corpus_id", ForeignKey("corpus.id", ondelete="CASCADE"), nullable=False),
    Column("doc_id", Text, nullable=False),
    #: Of text and metadata as the reader gave them: an unchanged document is not embedded again.
    Column("hash", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("metadata", JSON, nullable=False),
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
    #: See ``checksums``; NULL in what an older Ragstone stored and ``ragstone corpus check`` has not been through.
    Column("checksum", LargeBinary),
    #: float32, little-endian, C order, [windows, dimension].
    Column("vectors", LargeBinary, nullable=False),
    #: The words as ``packed_terms.pack`` packs them; NULL in what an older Ragstone stored.
    Column("words", LargeBinary),
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
