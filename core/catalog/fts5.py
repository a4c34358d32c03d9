"""``FullText`` in SQLite's FTS5: one table for each corpus, because BM25's statistics are per table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing

from sqlalchemy import Connection, text

from ..text.stemming import stems

#: A word in a heading counts this many times one in the text.
HEADINGS_WEIGHT = 1.5


def create(connection: Connection, corpus_id: int) -> None:
    """Create the corpus's full-text table."""
    name = _name(corpus_id)
    connection.execute(
        text(f"CREATE VIRTUAL TABLE {name} USING fts5(headings, body, tokenize = 'unicode61 remove_diacritics 0')")
    )


def drop(connection: Connection, corpus_id: int) -> None:
    """Remove the corpus's full-text table."""
    connection.execute(text(f"DROP TABLE IF EXISTS {_name(corpus_id)}_words"))  # from an older Ragstone
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
    """Remove the document's chunks from the index."""
    connection.execute(
        text(f"DELETE FROM {_name(corpus_id)} WHERE rowid IN (SELECT id FROM chunk WHERE document_id = :document)"),
        {"document": document_id},
    )


def scores(connection: Connection, corpus_id: int, words: Sequence[str]) -> dict[str, tuple[list[int], list[float]]]:
    """For each stem the keys of the chunks that contain it, ascending, and its part of their BM25 scores."""
    name = _name(corpus_id)
    # FTS5's BM25 is negative; here greater is better.
    statement = f"SELECT rowid, -bm25({name}, ?, 1.0) FROM {name} WHERE {name} MATCH ? ORDER BY rowid"
    known: dict[str, tuple[list[int], list[float]]] = {}
    for word in words:
        phrase = '"' + word.replace('"', '""') + '"'  # a string literal of FTS5's query language
        # By the driver itself: a word may be in thousands of chunks, and SQLAlchemy would parse the query each time and
        # create an object for each row.
        found = connection.exec_driver_sql(statement, (HEADINGS_WEIGHT, phrase))
        assert found.cursor is not None  # noqa: S101 - a query that returns rows has one until it is closed
        with closing(found):
            rows = found.cursor.fetchall()
        known[word] = [row[0] for row in rows], [row[1] for row in rows]
    return known


def terms(connection: Connection, corpus_id: int, prefix: str) -> dict[str, int]:
    """The stems that begin with the prefix, and how many chunks contain each."""
    name = _name(corpus_id)
    connection.exec_driver_sql(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name}_terms USING fts5vocab(main, {name}, 'row')"
    )
    rows = connection.exec_driver_sql(
        f"SELECT term, doc FROM temp.{name}_terms WHERE term >= ? AND term < ?", (prefix, after(prefix))
    )
    return {row[0]: row[1] for row in rows}


def after(prefix: str) -> str:
    """The least text that is greater than all that begin with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _name(corpus_id: int) -> str:
    return f"fulltext_{int(corpus_id)}"
