"""A data folder whose tables kept the chunks themselves: version 1."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document
from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint, insert, text

from ragstone.core import Host, NotFound, Question
from ragstone.core.runtime import limited_to
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import NewConcept, NewPlan, PlanStore
from tests.plugins.concept_tutor.material import corpus_of

OPTIONS = {"concept_tutor": {"sample": False}, "book_chat": {"sample": False}}
PLAN, CONCEPT, CHUNK = "concept_tutor_plan.id", "concept_tutor_concept.id", "concept_tutor_chunk.id"
MEAN = "The mean is the sum of the values divided by their number."
VARIANCE = "The variance is the mean of the squared deviations."


def _words(*names: str) -> list[Column[Any]]:
    return [Column(name, Text, nullable=False) for name in names]


def _tables() -> MetaData:
    metadata = MetaData()
    Table(
        "concept_tutor_plan", metadata, Column("id", Integer, primary_key=True),
        Column("slug", Text, nullable=False, unique=True),
        *_words("title", "description", "language", "origin", "created"), sqlite_autoincrement=True,
    )  # fmt: skip
    Table(
        "concept_tutor_concept", metadata, Column("id", Integer, primary_key=True),
        Column("plan_id", ForeignKey(PLAN, ondelete="CASCADE"), nullable=False), *_words("key", "name", "summary"),
        Column("position", Integer, nullable=False), *_words("state", "reason"),
        Column("wanted", Integer, nullable=False), Column("holder", Text, nullable=False),
        Column("held_until", Float, nullable=False), UniqueConstraint("plan_id", "key"), sqlite_autoincrement=True,
    )  # fmt: skip
    Table(
        "concept_tutor_edge", metadata,
        Column("prerequisite_id", ForeignKey(CONCEPT, ondelete="CASCADE"), primary_key=True),
        Column("concept_id", ForeignKey(CONCEPT, ondelete="CASCADE"), primary_key=True, index=True),
        Column("plan_id", ForeignKey(PLAN, ondelete="CASCADE"), nullable=False, index=True),
        *_words("reason"), Column("weight", Float, nullable=False),
    )  # fmt: skip
    Table(
        "concept_tutor_chunk", metadata, Column("id", Integer, primary_key=True),
        Column("plan_id", ForeignKey(PLAN, ondelete="CASCADE"), nullable=False, index=True),
        Column("chunk_id", Text, nullable=False, unique=True),
        *_words("source", "page_title", "page_url", "section", "revision", "licence", "retrieved", "language"),
        *_words("content"), sqlite_autoincrement=True,
    )  # fmt: skip
    Table(
        "concept_tutor_rests_on", metadata,
        Column("concept_id", ForeignKey(CONCEPT, ondelete="CASCADE"), primary_key=True),
        Column("chunk_id", ForeignKey(CHUNK, ondelete="CASCADE"), primary_key=True),
        Column("rank", Integer, nullable=False), Column("relevance", Float, nullable=False),
        Index("concept_tutor_rests_on_by_chunk", "chunk_id"),
    )  # fmt: skip
    Table("concept_tutor_seen", metadata, Column("id", Integer, primary_key=True))
    return metadata


def _write(host: Host) -> None:
    """Two chunks in the tables, the first of which is in the corpus, and one in the corpus of a plan that is gone."""
    metadata = _tables()
    concept = {
        "plan_id": 1,
        "summary": "",
        "state": "found",
        "reason": "",
        "wanted": 0,
        "holder": "",
        "held_until": 0.0,
    }
    chunk = {
        "plan_id": 1, "source": "wikipedia", "section": "Definition", "revision": "7", "licence": "CC BY-SA 4.0",
        "language": "en", "retrieved": "2026-01-02T03:04:05+00:00",
    }  # fmt: skip
    mean = {"chunk_id": "c1", "page_title": "Mean", "page_url": "https://wiki.example/wiki/Mean", "content": MEAN}
    variance = {"chunk_id": "c2", "page_title": "Variance", "page_url": "/concept_tutor/source/c2", "content": VARIANCE}
    rows: dict[str, list[dict[str, Any]]] = {
        "plan": [
            {"slug": "p", "title": "P", "description": "", "language": "en", "origin": "", "created": "2026-01-01"}
        ],
        "concept": [
            {**concept, "key": "mean", "name": "Mean", "position": 0},
            {**concept, "key": "variance", "name": "Variance", "position": 1},
        ],
        "edge": [{"prerequisite_id": 1, "concept_id": 2, "plan_id": 1, "reason": "", "weight": 1.0}],
        "chunk": [chunk | mean, chunk | variance],
        "rests_on": [
            {"concept_id": 1, "chunk_id": 1, "rank": 1, "relevance": 0.5},
            {"concept_id": 2, "chunk_id": 2, "rank": 1, "relevance": 0.75},
            {"concept_id": 2, "chunk_id": 1, "rank": 2, "relevance": 0.25},
        ],
        "seen": [{"id": 1}],
    }
    with host.catalog.tables("concept_tutor", metadata).write() as connection:
        for name, values in rows.items():
            connection.execute(insert(metadata.tables[f"concept_tutor_{name}"]), values)
    known = {name: chunk[name] for name in ("section", "source", "revision", "licence", "language")}
    documents = [
        Document(
            id_=doc_id, text=words, metadata={"plan": plan, "chunk": doc_id, "page_title": title, "url": url, **known}
        )
        for doc_id, words, plan, title, url in (
            ("c1", MEAN, "p", "Mean", mean["page_url"]),
            ("c0", "A passage of a plan that was removed.", "gone", "Gone", "https://wiki.example/wiki/Gone"),
        )
    ]
    corpus_of(host).ingest(documents)


def test_its_chunks_move_into_the_corpus_with_their_vectors(
    tmp_path: Path, database: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_host(tmp_path, database=database, options=OPTIONS) as host:
        _write(host)
    with open_host(tmp_path, database=database, options=OPTIONS) as host:
        embedded: list[str] = []
        embed = host.hooks.encoder.embed_chunks

        def counted(chunks: Sequence[tuple[str, str]]) -> Any:
            embedded.extend(words for _, words in chunks)
            return embed(chunks)

        monkeypatch.setattr(host.hooks.encoder, "embed_chunks", counted)
        store = host.once(PlanStore)
        (size,) = store.plans()
        assert (size.concepts, size.edges, size.chunks, size.states) == (2, 1, 2, {"found": 2})
        assert embedded == [VARIANCE]
        first, second = store.sources("p", "variance")
        assert (first.chunk_id, first.rank, first.relevance, first.content) == ("c2", 1, 0.75, VARIANCE)
        assert (second.chunk_id, second.rank, second.relevance, second.content) == ("c1", 2, 0.25, MEAN)
        assert (first.page_url, second.page_url) == ("/concept_tutor/source/c2", "https://wiki.example/wiki/Mean")
        assert (second.page_title, second.section, second.source) == ("Mean", "Definition", "wikipedia")
        assert (second.revision, second.licence, second.language) == ("7", "CC BY-SA 4.0", "en")
        assert {chunk.retrieved for chunk in (first, second)} == {datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)}
        assert [chunk.concept for chunk in store.uses("c1")] == ["mean", "variance"]
        answer = host.assistant("concept_tutor").ask(Question("What is the variance?", filters={"plan": "p"}))
        assert VARIANCE in answer.text
        host.serve()
        assert {row.doc_id for row in corpus_of(host).contents.documents()} == {"c1", "c2"}
    with open_host(tmp_path, database=database, options=OPTIONS) as host:
        assert not host.once(PlanStore).is_untouched()
        assert [chunk.content for chunk in host.once(PlanStore).sources("p", "variance")] == [VARIANCE, MEAN]


def test_a_move_that_was_interrupted_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_host(tmp_path, options=OPTIONS) as host:
        _write(host)
    with open_host(tmp_path, options=OPTIONS) as host:

        def killed(chunks: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(host.hooks.encoder, "embed_chunks", killed)
        with pytest.raises(KeyboardInterrupt):
            host.once(PlanStore).plans()
    with open_host(tmp_path, options=OPTIONS) as host:
        assert [chunk.content for chunk in host.once(PlanStore).sources("p", "variance")] == [VARIANCE, MEAN]


def test_a_plan_of_a_corpus_is_for_those_who_may_read_all_books(tmp_path: Path, database: str | None) -> None:
    """Version 2 did not keep which books a plan was made of."""
    with open_host(tmp_path, database=database, options=OPTIONS) as host:
        store = host.once(PlanStore)
        for slug, origin in (("corpus", "from the corpus books"), ("wiki", "from the page Statistics")):
            store.add(NewPlan(slug, slug, (NewConcept("mean", "Mean"),), origin=origin))
        with store.tables.write() as connection:
            connection.execute(text("ALTER TABLE concept_tutor_plan DROP COLUMN books"))
            connection.execute(text("UPDATE about SET value = '2' WHERE key = 'tables/concept_tutor'"))
    with open_host(tmp_path, database=database, options=OPTIONS) as host:
        store = host.once(PlanStore)
        assert [size.plan.slug for size in store.plans()] == ["corpus", "wiki"]
        with limited_to({"book": frozenset({"optics"})}):
            assert [size.plan.slug for size in store.plans()] == ["wiki"]
            with pytest.raises(NotFound, match="there is no plan 'corpus'"):
                store.plan("corpus")
