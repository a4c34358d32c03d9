"""The interface between the catalog and a database; ``sqlite`` and ``postgresql`` implement it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import ColumnElement, Connection, Engine
    from sqlalchemy.exc import DBAPIError

    from ..errors import RagstoneError

#: The schema in PostgreSQL that holds a deployment's catalog.
SCHEMA = "ragstone"
#: Letters that are shown of what a driver said.
_LONGEST = 500


class Database(ABC):
    """One kind of database: how it is opened, how it searches words, and what its errors mean."""

    #: Where it is, for errors and logs: never with a password.
    where: str
    #: The file in which the data folder remembers the id of its catalog; ``None`` for one that is in no file.
    marker: Path | None
    #: What makes a catalog of a schema version one of the next: nothing that was stored is lost or embedded again.
    upgrades: Mapping[int, tuple[str, ...]]

    @abstractmethod
    def engine(self) -> Engine:
        """The engine, with a pool of connections."""

    @abstractmethod
    def read_engine(self, engine: Engine) -> Engine:
        """The engine whose transactions see one moment and change nothing."""

    @abstractmethod
    def write_engine(self, engine: Engine) -> Engine:
        """The engine whose transactions are on the disk when they have ended, and wait for one another."""

    @abstractmethod
    def lock_catalog(self, connection: Connection) -> None:
        """Until the transaction ends, nobody else makes, upgrades, creates or swaps in this catalog."""

    @abstractmethod
    def create(self, connection: Connection) -> None:
        """Make what this database needs besides the tables of ``schema``."""

    @abstractmethod
    def translate_error(self, error: DBAPIError) -> RagstoneError:
        """The driver's error as ours: what happened, where, what to do."""

    @abstractmethod
    def is_full(self) -> bool:
        """Whether no space is left, as far as this machine can see."""

    @abstractmethod
    def fault(self, connection: Connection, seconds: float) -> str | None:
        """See ``Catalog.fault``."""

    def probe(self) -> None:  # noqa: B027 - a server tells by itself
        """See ``Catalog.probe``."""

    @abstractmethod
    def raw(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """The column in a form that is read whatever became of it: bytes, or its value."""

    # Metadata

    @abstractmethod
    def text(self, key: str) -> ColumnElement[str]:
        """A chunk's metadata under the key as text; NULL where there is none."""

    @abstractmethod
    def number(self, key: str) -> ColumnElement[float]:
        """A chunk's metadata under the key as a number; 0 where it is none, NULL where there is nothing."""

    # Full text: BM25 with k1 = 1.2 and b = 0.75 as FTS5 has it, over the stems of ``analysis``

    @abstractmethod
    def create_words(self, connection: Connection, corpus_id: int) -> None:
        """Make the corpus's full text, empty."""

    @abstractmethod
    def drop_words(self, connection: Connection, corpus_id: int) -> None:
        """Remove the corpus's full text."""

    @abstractmethod
    def add_words(self, connection: Connection, corpus_id: int, rows: Iterable[tuple[int, str, str]]) -> None:
        """Index ``(chunk key, headings, text)``."""

    @abstractmethod
    def remove_words(self, connection: Connection, corpus_id: int, document_id: int) -> None:
        """Take the document's chunks, which are still there, out of the full text."""

    @abstractmethod
    def word_scores(
        self, connection: Connection, corpus_id: int, words: Sequence[str]
    ) -> dict[str, tuple[list[int], list[float]]]:
        """Of each stem the keys of the chunks that hold it, ascending, and the BM25 that it gives each of them.

        A question's BM25 is the sum over its words; greater is better.
        """


def redact(said: Any, password: str | None) -> str:
    """What the driver said, on one line, in characters that can be shown, and without the password."""
    line = " ".join(str(said).split())
    line = line.replace(password, "***") if password else line
    return "".join(letter if letter.isprintable() else "?" for letter in line)[:_LONGEST]
