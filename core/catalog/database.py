"""The interface of the databases that can hold the catalog; ``sqlite`` and ``postgresql`` implement it."""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from sqlalchemy import ColumnElement, Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ..errors import BadRequest, RagstoneError, StorageBusy, StorageDenied, StorageError, StorageFull
from ..runtime.files import is_full

if TYPE_CHECKING:
    from .pgvector import VectorTables

#: The schema in PostgreSQL that holds a deployment's catalog.
SCHEMA = "ragstone"
#: Characters that are shown of a driver's message.
_MAX_MESSAGE = 500


class FullText(Protocol):
    """A full-text index for each corpus: BM25 with k1 = 1.2 and b = 0.75 over the stems of ``text.stemming``."""

    def create(self, connection: Connection, corpus_id: int) -> None:
        """Create the corpus's index, empty."""

    def drop(self, connection: Connection, corpus_id: int) -> None:
        """Remove the corpus's index."""

    def add(self, connection: Connection, corpus_id: int, rows: Iterable[tuple[int, str, str]]) -> None:
        """Index ``(chunk key, headings, text)``."""

    def remove(self, connection: Connection, corpus_id: int, document_id: int) -> None:
        """Remove the document's chunks from the index; their rows must still exist."""

    def scores(
        self, connection: Connection, corpus_id: int, words: Sequence[str]
    ) -> dict[str, tuple[list[int], list[float]]]:
        """For each stem the keys of the chunks that contain it, ascending, and its part of their BM25 scores.

        A question's BM25 is the sum over its words; greater is better.
        """

    def terms(self, connection: Connection, corpus_id: int, prefix: str) -> dict[str, int]:
        """The stems that begin with the prefix, and how many chunks contain each."""


class Columns(Protocol):
    """The SQL expressions that read a chunk's columns; they differ from one database to the other."""

    def raw(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """The column in a form that can be read even if it is damaged: bytes, or its value."""

    def text(self, key: str) -> ColumnElement[str]:
        """A chunk's metadata value of the key as text; NULL if there is none."""

    def number(self, key: str) -> ColumnElement[float]:
        """A chunk's metadata value of the key as a number; 0 for other values, NULL if there is none."""


class Database(ABC):
    """One kind of database: its transactions, its full text search and the translation of its errors."""

    #: Its location, for errors and logs, without a password.
    where: str
    #: The file that records the catalog's id; ``None`` for a database in memory.
    marker: Path | None
    full_text: FullText
    columns: Columns
    #: ``None`` for a database without an index of vectors.
    vectors: VectorTables | None = None
    #: SQLAlchemy's options of the transactions of ``read`` and of ``write``.
    _reading: ClassVar[Mapping[str, Any]] = {}
    _writing: ClassVar[Mapping[str, Any]]

    @cached_property
    @abstractmethod
    def engine(self) -> Engine:
        """The engine, with a pool of connections. Raises ``OSError``."""

    @cached_property
    def _reader(self) -> Engine:
        return self.engine.execution_options(**self._reading)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read-only transaction on a consistent snapshot, as of the last commit of any process."""
        with translate_db_errors(self), self._reader.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self, **options: Any) -> Iterator[Connection]:
        """A durable transaction, undone by whatever is raised within; writers wait for one another."""
        engine = self.engine.execution_options(**self._writing, **options)
        with translate_db_errors(self), engine.begin() as connection:
            yield connection

    def lock_catalog(self, connection: Connection) -> None:  # noqa: B027 - a file's writing transactions exclude others
        """Until the transaction ends, keep other processes from creating, upgrading or swapping in this catalog."""

    def prepare(self, connection: Connection) -> None:  # noqa: B027 - a file needs nothing
        """Create what this database needs besides the tables of ``schema``, and is not there yet."""

    @abstractmethod
    def translate_error(self, error: DBAPIError) -> RagstoneError:
        """Ragstone's error for the driver's."""

    def fault(self, connection: Connection, seconds: float) -> str | None:  # noqa: ARG002
        """See ``Catalog.fault``; a server checks its own pages, and reports faults when it reads them."""
        return None

    def server(self) -> tuple[str, str] | None:
        """libpq's connection string and the schema of a catalog on a server, ``None`` for one in a file."""
        return None

    def probe(self) -> None:  # noqa: B027 - a server reports its faults itself
        """See ``Catalog.probe``."""


def redact(message: Any, password: str | None) -> str:
    """The driver's message on one line, printable and without the password."""
    line = " ".join(str(message).split())
    line = line.replace(password, "***") if password else line
    return "".join(letter if letter.isprintable() else "?" for letter in line)[:_MAX_MESSAGE]


@contextmanager
def translate_db_errors(database: Database) -> Iterator[None]:
    """Raise errors of the driver and the system as a ``RagstoneError`` that names the database."""
    try:
        yield
    except OSError as error:
        raise _storage_error(error, database.where) from error
    except DBAPIError as error:
        raise database.translate_error(error) from error
    except PoolTimeoutError as error:
        raise StorageBusy(
            "every connection to the database is in use", where=database.where, hint="try again in a moment"
        ) from error
    except UnicodeEncodeError as error:
        raise BadRequest(
            f"a text holds half of a character: {error.object[error.start : error.end]!r}",
            hint="no database stores what is no text",
        ) from error


def _storage_error(error: OSError, where: str) -> StorageError:
    is_file = error.errno in (errno.ENOTDIR, errno.EEXIST)
    message = "a file is in its place" if is_file else error.strerror or str(error)
    if is_full(error):
        return StorageFull("no space is left on the disk", where=where, hint="make space and try again")
    if is_file or error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
        return StorageDenied(
            f"the data folder cannot be used: {message}",
            where=error.filename or where,
            hint="check its owner and permissions, or set RAGSTONE_DATA_DIR",
        )
    return StorageError(f"the storage failed: {message}", where=where)
