"""Reads folders in the form of BEIR (arXiv:2104.08663): documents as a corpus, questions and judgements."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llama_index.core.schema import Document

from ..catalog import Catalog, is_server
from ..corpus import Corpus, CorpusParts
from ..errors import SourceError
from ..ingestion.span_node_parser import WholeDocument
from ..runtime import open_regular, parse_json

if TYPE_CHECKING:
    from ..host.host import Host
    from ..ingestion.pipeline import OnProgress

_QUESTIONS = ("queries.jsonl", "queries_test.jsonl")
_JUDGEMENTS = ("qrels.tsv", "qrels_test.txt", "qrels/test.tsv")
_KEYS = ("text", "question", "query", "input")


@dataclass(frozen=True)
class QuestionSet:
    """Questions with their relevant documents and gold answers."""

    texts: dict[str, str]
    #: Grade of each relevant document by question id.
    relevant: dict[str, dict[str, int]]
    #: Gold answers by question id, where the set has them.
    answers: dict[str, tuple[str, ...]]

    def some(self, limit: int | None) -> QuestionSet:
        """Only so many of the questions, evenly spread; ``None``: all."""
        if limit is None or limit >= len(self.texts):
            return self
        kept = list(self.texts)[:: max(1, len(self.texts) // limit)][:limit]
        return replace(self, texts={key: self.texts[key] for key in kept})


class JudgedDocument(WholeDocument):
    """One chunk per document, the unit of the judgements. Its title is its heading."""

    embedded_keys = ("title",)

    @property
    def fingerprint(self) -> str:
        """Changes when the same document gives another chunk."""
        return "whole-document/1"


def read_question_set(folder: Path) -> QuestionSet:
    """The folder's judged questions. Raises ``SourceError``."""
    texts, answers = {}, {}
    for row in _rows(_first_file(folder, _QUESTIONS)):
        texts[str(row["_id"])] = str(row.get("text", ""))
        if isinstance(row.get("answers"), list):
            answers[str(row["_id"])] = tuple(str(answer) for answer in row["answers"])
    relevant: dict[str, dict[str, int]] = {}
    for line in _lines(_first_file(folder, _JUDGEMENTS)):
        parts = line.rstrip("\n").split("\t") if "\t" in line else line.split()  # ids may hold spaces
        # BEIR writes question, document, grade under a heading; TREC a column of zeros between.
        if len(parts) >= 3 and parts[-1].isdecimal() and int(parts[-1]) > 0:
            relevant.setdefault(parts[0], {})[parts[-2]] = int(parts[-1])
    judged = {key: text for key, text in texts.items() if key in relevant}
    if not judged:
        raise SourceError("its judgements are about none of its questions", where=str(folder))
    return QuestionSet(judged, relevant, answers)


def read_questions_file(path: Path) -> list[str]:
    """Questions, one a line: plain text, or JSON objects with ``text``, ``question``, ``query`` or ``input``."""
    lines = [line.strip() for line in _lines(path) if line.strip()]
    if not lines:
        raise SourceError("holds no question", where=str(path))
    return [_question_of(line, path, number) for number, line in enumerate(lines, start=1)]


@contextmanager
def open_corpus(host: Host, folder: Path, *, on_progress: OnProgress | None = None) -> Iterator[Corpus]:
    """The folder's documents as a corpus of its own; only changed documents are embedded again.

    It is stored in the cache folder or, where the deployment's database is a server, in a schema ``ragstone_eval_…``
    that may be dropped at any time. Raises ``SourceError``.
    """
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    cache_folder = host.settings.cache_dir / "eval" / name
    server = host.settings.database if is_server(host.settings.database) else None
    pgvector = host.settings.index.store == "pgvector"
    catalog = Catalog(server, cache_folder, schema=f"ragstone_eval_{name}", is_cache=True, pgvector=pgvector)
    try:
        corpus = Corpus(
            "eval",
            catalog=catalog,
            parts=CorpusParts(lambda: host.hooks.encoder, JudgedDocument),
            options=host.settings.retrieval,
        )
        documents = [
            Document(
                id_=str(row["_id"]), text=str(row.get("text", "")), metadata={"title": str(row.get("title") or "")}
            )
            for row in _rows(folder / "corpus.jsonl")
        ]
        report = corpus.ingest(documents, on_progress=on_progress)
        kept = {*report.added, *report.updated, *report.unchanged}
        corpus.remove([stored.doc_id for stored in corpus.contents.documents() if stored.doc_id not in kept])
        yield corpus
    finally:
        catalog.close()


def _question_of(line: str, path: Path, number: int) -> str:
    if not line.startswith("{"):
        return line
    row = _object(line, path, number)
    found = next((str(row[key]) for key in _KEYS if row.get(key)), None)
    if found is None:
        raise SourceError(f"line {number} has none of {', '.join(_KEYS)}", where=str(path))
    return found


def _first_file(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise SourceError(f"has none of {', '.join(names)}", where=str(folder), hint="a folder in the form of BEIR")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            row = _object(line, path, number)
            if "_id" not in row:
                raise SourceError(f"line {number} has no _id", where=str(path), hint="a folder in the form of BEIR")
            yield row


def _object(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        row = parse_json(line)
    except ValueError as error:
        raise SourceError(f"line {number} is not JSON: {error}", where=str(path)) from error
    if not isinstance(row, dict):
        raise SourceError(f"line {number} is no object", where=str(path))
    return row


def _lines(path: Path) -> Iterator[str]:
    try:
        with io.TextIOWrapper(open_regular(path), "utf-8") as file:
            yield from file
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read: {error}", where=str(path), hint="a folder in the form of BEIR") from error
