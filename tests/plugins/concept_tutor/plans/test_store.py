"""Plans in the catalog's database, SQLite and PostgreSQL: whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from sqlalchemy import text

from ragstone.core import BadRequest, Host, NotFound, StorageError, TooLarge
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Edge, NewChunk, NewConcept, NewPlan, PlanStore
from tests.plugins.concept_tutor.material import corpus_of
from tests.support.patience import HANG

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CONCEPTS = (NewConcept("mean", "Mean", "The centre."), NewConcept("variance", "Variance"), NewConcept("z", "z-score"))
EDGES = (Edge("mean", "variance", "made of deviations", 0.5), Edge("mean", "z"), Edge("variance", "z"))
PLAN = NewPlan("statistics", "Statistics", CONCEPTS, EDGES, description="Small", language="en", origin="by hand")


def new_chunk(words: str, *, page: str = "Mean", revision: str = "7", section: str = "Definition") -> NewChunk:
    return NewChunk(
        source="wikipedia",
        page_title=page,
        page_url=f"https://wiki.example.org/wiki/{page}#{section}",
        section=section,
        revision=revision,
        licence="CC BY-SA 4.0",
        retrieved=WHEN,
        relevance=0.75,
        content=words,
        language="en",
    )


@pytest.fixture
def host(tmp_path: Path, database: str | None) -> Iterator[Host]:
    options = {"concept_tutor": {"sample": False}, "book_chat": {"sample": False}}
    with open_host(tmp_path, database=database, options=options) as host:
        yield host


@pytest.fixture
def store(host: Host) -> PlanStore:
    store = host.once(PlanStore)
    store.add(PLAN)
    return store


def _documents(host: Host) -> set[str]:
    return {row.doc_id for row in corpus_of(host).contents.documents()}


def test_a_plan_comes_back_as_it_was(store: PlanStore) -> None:
    plan = store.plan("statistics")
    assert (plan.title, plan.description, plan.language, plan.origin) == ("Statistics", "Small", "en", "by hand")
    assert plan.created.tzinfo is not None
    assert [(one.key, one.name, one.summary, one.position, one.state) for one in store.concepts("statistics")] == [
        ("mean", "Mean", "The centre.", 0, "waiting"),
        ("variance", "Variance", "", 1, "waiting"),
        ("z", "z-score", "", 2, "waiting"),
    ]
    assert store.edges("statistics") == list(EDGES)
    (size,) = store.plans()
    assert (size.concepts, size.edges, size.chunks, size.states) == (3, 3, 0, {"waiting": 3})
    assert store.all_sources("statistics") == {"mean": [], "variance": [], "z": []}


def test_it_is_there_for_the_next_one_who_opens(tmp_path: Path, database: str | None) -> None:
    with open_host(tmp_path, database=database) as host:
        store = host.once(PlanStore)
        store.add(PLAN)
        store.put_sources("statistics", "mean", [new_chunk("The mean is the sum divided by the number.")])
    with open_host(tmp_path, database=database) as host:
        (chunk,) = host.once(PlanStore).sources("statistics", "mean")
        assert (chunk.plan, chunk.concept, chunk.rank, chunk.relevance) == ("statistics", "mean", 1, 0.75)
        assert (chunk.page_title, chunk.section, chunk.revision) == ("Mean", "Definition", "7")
        assert (chunk.retrieved, chunk.source, chunk.language) == (WHEN, "wikipedia", "en")
        assert chunk.page_url == "https://wiki.example.org/wiki/Mean#Definition"


def test_what_is_not_there_is_not_found(store: PlanStore) -> None:
    for missing in (
        lambda: store.plan("nothing"),
        lambda: store.concepts("nothing"),
        lambda: store.concept("statistics", "nothing"),
        lambda: store.sources("statistics", "nothing"),
        lambda: store.uses("nothing"),
        lambda: store.remove("nothing"),
    ):
        with pytest.raises(NotFound):
            missing()


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (PLAN, "there is a plan 'statistics' already"),
        (replace(PLAN, slug="../x"), "cannot be a plan's slug"),
        (replace(PLAN, slug="x", title=" "), "title is empty"),
        (replace(PLAN, slug="x", concepts=()), "one concept or more"),
        (replace(PLAN, slug="x", concepts=(*CONCEPTS, CONCEPTS[0])), "two concepts have the key 'mean'"),
        (replace(PLAN, slug="x", edges=(Edge("mean", "nowhere"),)), "'nowhere' is no concept"),
        (replace(PLAN, slug="x", edges=(*EDGES, EDGES[0])), "named twice"),
        (replace(PLAN, slug="x", edges=(*EDGES, Edge("z", "mean"))), "to be learned before the next: mean, z"),
        (replace(PLAN, slug="x", edges=(Edge("mean", "z", weight=float("nan")),)), "weight is above 0"),
        (replace(PLAN, slug="x", description="\x00"), "control character"),
    ],
)
def test_what_is_no_plan_is_refused_and_nothing_of_it_stays(store: PlanStore, plan: NewPlan, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        store.add(plan)
    assert len(store.plans()) == 1


def test_a_plan_that_is_too_large_is_refused(store: PlanStore) -> None:
    many = tuple(NewConcept(f"k{number}", "K") for number in range(2_001))
    with pytest.raises(TooLarge):
        store.add(NewPlan("large", "Large", many))


def test_sources_replace_the_former_ones(store: PlanStore) -> None:
    first = store.put_sources("statistics", "mean", [new_chunk("One."), new_chunk("Two."), new_chunk("One.")])
    assert [(one.content, one.rank) for one in first] == [("One.", 1), ("Two.", 2)]
    assert store.concept("statistics", "mean").state == "found"
    second = store.put_sources("statistics", "mean", [new_chunk("Two."), new_chunk("Three.")], "a wiki was away")
    assert [one.content for one in second] == ["Two.", "Three."]
    assert store.concept("statistics", "mean").reason == "a wiki was away"
    assert second[0].chunk_id == first[1].chunk_id
    with pytest.raises(NotFound):
        store.uses(first[0].chunk_id)
    assert store.put_sources("statistics", "mean", []) == []
    assert store.concept("statistics", "mean").state == "none"


def test_a_newer_revision_with_the_same_words_keeps_the_chunk(store: PlanStore) -> None:
    (before,) = store.put_sources("statistics", "mean", [new_chunk("The same.", revision="7")])
    (after,) = store.put_sources("statistics", "mean", [new_chunk("The same.", revision="8")])
    assert (after.chunk_id, after.revision) == (before.chunk_id, "8")


def test_a_chunk_of_two_concepts_stays_as_long_as_one_uses_it(store: PlanStore) -> None:
    shared = new_chunk("Both need this.")
    (one,) = store.put_sources("statistics", "mean", [shared])
    _, two = store.put_sources("statistics", "variance", [new_chunk("First."), shared])
    assert (one.chunk_id, one.rank, two.chunk_id, two.rank) == (one.chunk_id, 1, one.chunk_id, 2)
    assert [use.concept for use in store.uses(one.chunk_id)] == ["mean", "variance"]
    assert store.size("statistics").chunks == 2
    assert {key: len(ids) for key, ids in store.chunk_ids("statistics").items()} == {"mean": 1, "variance": 2}
    store.put_sources("statistics", "mean", [])
    assert store.uses(one.chunk_id)[0].concept == "variance"
    store.put_sources("statistics", "variance", [])
    assert store.size("statistics").chunks == 0


def test_two_plans_have_the_same_page_each_for_itself(store: PlanStore) -> None:
    store.add(replace(PLAN, slug="other"))
    (here,) = store.put_sources("statistics", "mean", [new_chunk("The same.")])
    (there,) = store.put_sources("other", "mean", [new_chunk("The same.")])
    assert here.chunk_id != there.chunk_id
    store.remove("other")
    assert store.uses(here.chunk_id) == [here]


def test_a_chunk_without_an_address_is_opened_on_our_own_page(store: PlanStore) -> None:
    (chunk,) = store.put_sources("statistics", "mean", [replace(new_chunk("Ours."), page_url="")])
    assert chunk.page_url == f"/concept_tutor/source/{chunk.chunk_id}"


def test_a_plan_and_its_sources_are_stored_at_once_or_not_at_all(host: Host) -> None:
    store = host.once(PlanStore)
    with pytest.raises(KeyError):
        store.add(PLAN, {"mean": [new_chunk("One.")], "nowhere": [new_chunk("Two.")]})
    assert store.plans() == []
    assert not _documents(host)
    store.add(PLAN, {"mean": [new_chunk("One.")]})
    assert store.size("statistics").states == {"found": 1, "waiting": 2}


def test_a_chunk_is_found_as_soon_as_it_is_stored_and_until_no_concept_uses_it(store: PlanStore, host: Host) -> None:
    assert not _documents(host)
    mean = store.put_sources("statistics", "mean", [new_chunk("The mean is the sum divided by the number.")])
    store.put_sources("statistics", "variance", [new_chunk("The variance is the mean squared deviation.")])
    node = corpus_of(host).contents.node(mean[0].chunk_id)
    assert node.text == mean[0].content
    assert node.metadata["url"] == mean[0].page_url
    plan = MetadataFilters(filters=[MetadataFilter(key="plan", value="statistics")])
    offered = host.pipeline.retrieve(corpus_of(host), "What is the mean?", top_k=1, filters=plan).nodes
    assert [each.node.node_id for each in offered] == [mean[0].chunk_id]
    store.put_sources("statistics", "variance", [])
    assert _documents(host) == {mean[0].chunk_id}
    store.remove("statistics")
    assert store.plans() == []
    assert not _documents(host)


def test_nothing_is_embedded_twice(store: PlanStore, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []
    embed = host.hooks.encoder.embed_chunks

    def counted(chunks: Sequence[tuple[str, str]]) -> Any:
        embedded.extend(text for _, text in chunks)
        return embed(chunks)

    monkeypatch.setattr(host.hooks.encoder, "embed_chunks", counted)
    both = [new_chunk("One."), new_chunk("Two."), new_chunk("One.")]
    store.put_sources("statistics", "mean", both)
    store.put_sources("statistics", "variance", both)
    store.put_sources("statistics", "mean", [new_chunk("Two.", revision="8"), new_chunk("One.")])
    assert sorted(embedded) == ["One.", "Two."]
    assert {chunk.revision for chunk in store.sources("statistics", "variance")} == {"7", "8"}


def test_a_chunk_that_another_process_removes_meanwhile_is_stored_again(
    store: PlanStore, host: Host, tmp_path: Path, database: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = new_chunk("Both need this.")
    store.put_sources("statistics", "mean", [shared])
    ingest, removed = corpus_of(host).ingest, list[str]()

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        report = ingest(*args, **kwargs)
        if not removed:
            removed.append("mean")
            other.once(PlanStore).put_sources("statistics", "mean", [])
            assert not _documents(other)
        return report

    with open_host(tmp_path, database=database) as other:
        monkeypatch.setattr(corpus_of(host), "ingest", interrupted)
        (chunk,) = store.put_sources("statistics", "variance", [shared])
        assert _documents(other) == {chunk.chunk_id}
        assert other.once(PlanStore).sources("statistics", "variance") == [chunk]


_CHANGES = """
import random, sys
from pathlib import Path
from ragstone.core.testing import open_host
from tests.plugins.concept_tutor.plans.test_store import PlanStore, new_chunk

folder, database, seed = Path(sys.argv[1]), sys.argv[2] or None, int(sys.argv[3])
random.seed(seed)
shared = [new_chunk(f"Passage {number}.") for number in range(4)]
with open_host(folder, database=database) as host:
    for _ in range(20):
        concept = random.choice(["mean", "variance", "z"])
        host.once(PlanStore).put_sources("statistics", concept, random.sample(shared, random.randint(0, 3)))
"""


@pytest.mark.slow
def test_processes_that_change_the_same_concepts_leave_no_use_without_its_chunk(
    store: PlanStore, host: Host, tmp_path: Path, database: str | None
) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [sys.executable, "-c", _CHANGES, str(tmp_path), database or ""]
    processes = [subprocess.Popen([*arguments, str(seed)], env=environment) for seed in range(2)]
    while any(process.poll() is None for process in processes):
        with store.tables.read() as connection:
            used = set(connection.execute(text("SELECT chunk_id FROM concept_tutor_uses")).scalars())
            corpus = store.tables.snapshot(connection).corpus("concept_tutor")
            if corpus is not None:
                assert used <= {row.doc_id for row in store.tables.snapshot(connection).documents(corpus.id)}
        time.sleep(0.01)
    assert [process.returncode for process in processes] == [0, 0]
    assert _documents(host) == {one.chunk_id for of in store.all_sources("statistics").values() for one in of}


def test_nobody_waits_for_what_another_thread_embeds(
    store: PlanStore, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding, release, embed = threading.Event(), threading.Event(), host.hooks.encoder.embed_chunks

    def slow(chunks: Sequence[tuple[str, str]]) -> Any:
        embedding.set()
        assert release.wait(HANG)
        return embed(chunks)

    monkeypatch.setattr(host.hooks.encoder, "embed_chunks", slow)
    other = threading.Thread(target=store.put_sources, args=("statistics", "mean", [new_chunk("One.")]))
    other.start()
    try:
        assert embedding.wait(HANG)
        assert store.sources("statistics", "mean") == []
        store.add(replace(PLAN, slug="other"))
        store.remove("other")
    finally:
        release.set()
        other.join()
    assert len(store.sources("statistics", "mean")) == 1


def test_what_fails_leaves_every_concept_as_it_was(
    store: PlanStore, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = store.put_sources("statistics", "mean", [new_chunk("One."), new_chunk("Two.")])

    def failing(*args: Any, **kwargs: Any) -> int:
        raise StorageError("the disk failed")

    with monkeypatch.context() as patch:
        patch.setattr(host.catalog.documents, "remove", failing)
        for change in (
            lambda: store.put_sources("statistics", "mean", [new_chunk("Three.")]),
            lambda: store.remove("statistics"),
        ):
            with pytest.raises(StorageError):
                change()
    assert store.sources("statistics", "mean") == before
    host.serve()  # it removes what was stored and given to no concept
    assert _documents(host) == {chunk.chunk_id for chunk in before}


def test_a_chunk_of_another_plan_or_without_words_is_refused(store: PlanStore) -> None:
    (chunk,) = store.put_sources("statistics", "mean", [new_chunk("One.")])
    store.add(replace(PLAN, slug="other"))
    with pytest.raises(BadRequest, match="belongs to another plan"):
        store.put_sources("other", "mean", [replace(new_chunk("Two."), chunk_id=chunk.chunk_id)])
    with pytest.raises(BadRequest, match="is empty"):
        store.put_sources("other", "mean", [new_chunk(" ")])
    assert store.uses(chunk.chunk_id) == [chunk]


def test_a_removed_plan_can_be_made_again(store: PlanStore) -> None:
    store.put_sources("statistics", "mean", [new_chunk("One.")])
    removed = store.remove("statistics")
    assert removed is not None
    assert removed.chunks == 1
    store.add(PLAN)
    assert store.all_sources("statistics") == {"mean": [], "variance": [], "z": []}
    assert not store.is_untouched()


def test_a_deployment_that_never_had_a_plan_is_untouched(host: Host) -> None:
    assert host.once(PlanStore).is_untouched()
