"""Full text in SQLite's FTS5: a table for each corpus, because BM25's statistics are a corpus's own."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from sqlalchemy import text

from ..text.stemming import stems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

#: A word in a heading counts this many times one in the text.
HEADINGS_WEIGHT = 1.5


def create(connection: Connection, corpus_id: int) -> None:
    """Make the corpus's full-text table."""
    name = _name(corpus_id)
    connection.execute(
        text(f"CREATE VIRTUAL TABLE {name} USING fts5(headings, body, tokenize = 'unicode61 remove_diacritics 0')")
    )


def drop(connection: Connection, corpus_id: int) -> None:
    """Remove the corpus's full-text table."""
    connection.execute(text(f"DROP TABLE IF EXISTS {_name(corpus_id)}_words"))  # of an older Ragstone
    connection.execute(text(f"DROP TABLE IF EXISTS {_name(corpus_id)}"))


def add(connection: Connection, corpus_id: int, rows: Iterable[tuple[int, str, str]]) -> None:
    """Index ``(chunk key, headings, text)``."""
    values = [
        {"key": key, "headings": " ".join(stems(headings)), "body": " ".join(stems(body))}
        for key, headings, body in rows
    ]
    if values:
        connection.execute(
            text(f"INSERT INTO {_name(corpus_id)}(rowid, headings, body) VALUES (:key, :headings, :body)"),
            values,
        )


def remove(connection: Connection, corpus_id: int, document_id: int) -> None:
    """Take the document's chunks out of the index."""
    connection.execute(
        text(f"DELETE FROM {_name(corpus_id)} WHERE rowid IN (SELECT id FROM chunk WHERE document_id = :document)"),
        {"document": document_id},
    )


def scores(connection: Connection, corpus_id: int, word: str) -> tuple[list[int], list[float]]:
    """Keys of the chunks that hold the stem, ascending, and the BM25 that it gives each of them.

    FTS5's BM25 has k1 = 1.2 and b = 0.75 and is negative; here greater is better.
    """
    name = _name(corpus_id)
    # As the driver takes and gives it: every question asks for each new word, which thousands of chunks may hold, and
    # SQLAlchemy would read the query anew each time and make an object of each row.
    found = connection.exec_driver_sql(
        f"SELECT rowid, -bm25({name}, ?, 1.0) FROM {name} WHERE {name} MATCH ? ORDER BY rowid",
        (HEADINGS_WEIGHT, _quoted(word)),
    )
    assert found.cursor is not None  # noqa: S101 - a query that gives rows has one until it is closed
    with closing(found):
        rows = found.cursor.fetchall()
    return [row[0] for row in rows], [row[1] for row in rows]


def _quoted(word: str) -> str:
    """The word as a string of FTS5's query language, in which nothing has a meaning but the word."""
    doubled = word.replace('"', '""')
    return f'"{doubled}"'


def _name(corpus_id: int) -> str:
    return f"fulltext_{int(corpus_id)}"
