"""Full text in SQLite's FTS5: a table for each corpus, because BM25's statistics are a corpus's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from ..analysis import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

#: A word in a heading counts this many times one in the text.
HEADINGS_WEIGHT = 1.5


def create(connection: Connection, corpus_id: int) -> None:
    """Make the corpus's full-text table."""
    name = _name(corpus_id)
    connection.execute(
        text(f"CREATE VIRTUAL TABLE {name} USING fts5(headings, body, tokenize = 'unicode61 remove_diacritics 0')")
    )
    connection.execute(text(f"CREATE VIRTUAL TABLE {name}_words USING fts5vocab({name}, 'row')"))


def drop(connection: Connection, corpus_id: int) -> None:
    """Remove the corpus's full-text table."""
    connection.execute(text(f"DROP TABLE IF EXISTS {_name(corpus_id)}_words"))
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


def search(
    connection: Connection, corpus_id: int, words: Sequence[str], limit: int, keys: frozenset[int] | None
) -> list[tuple[int, float]]:
    """``(chunk key, BM25)``, best first: chunks that hold at least one of the stems.

    ``keys``: only these chunks. FTS5's BM25 has k1 = 1.2 and b = 0.75 and is negative; here greater is better.
    """
    if not words:
        return []
    found = connection.execute(
        text(
            f"SELECT rowid, -bm25({_name(corpus_id)}, :weight, 1.0) AS score FROM {_name(corpus_id)} "
            f"WHERE {_name(corpus_id)} MATCH :query ORDER BY score DESC, rowid"
            + ("" if keys is not None else " LIMIT :limit")
        ),
        {"query": " OR ".join(_quoted(word) for word in words), "weight": HEADINGS_WEIGHT, "limit": limit},
    )
    hits = ((int(key), float(score)) for key, score in found)
    if keys is None:
        return list(hits)
    kept = []
    for key, score in hits:
        if key in keys:
            kept.append((key, score))
            if len(kept) == limit:
                break
    return kept


def frequencies(connection: Connection, corpus_id: int, words: Sequence[str]) -> dict[str, int]:
    """In how many chunks each stem stands; stems that stand nowhere are left out."""
    counts: dict[str, int] = {}
    for word in words:
        row = connection.execute(
            text(f"SELECT doc FROM {_name(corpus_id)}_words WHERE term = :word"), {"word": word}
        ).first()
        if row is not None:
            counts[word] = int(row[0])
    return counts


def _quoted(word: str) -> str:
    """The word as a string of FTS5's query language, in which nothing has a meaning but the word."""
    doubled = word.replace('"', '""')
    return f'"{doubled}"'


def _name(corpus_id: int) -> str:
    return f"fulltext_{int(corpus_id)}"
