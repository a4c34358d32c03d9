"""The vector index follows the catalog, and is thrown away rather than trusted."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.simple import SimpleVectorStore
from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryResult

from ragstone.core import Corpus, Host, Question
from ragstone.core.retrieval.search_cache import RevisionSearch
from ragstone.core.testing import open_host
from ragstone.core.vector_index import Follower
from ragstone.plugins.book_chat import Shelf
from tests.support.needs import missing, needed
from tests.support.patience import until, until_followed
from tests.support.third_party_fakes import InMemory, WithStore, add_book

needed("chromadb")

QUESTIONS = ("What is a caster?", "Which tyres grip?", "How strong is the gripper?", "What about safety?")


@pytest.fixture
def corpus(fast_host: Host, small_book: Path) -> Corpus:
    shelf = add_book(fast_host, small_book, "Parts")
    return shelf.corpus


def _ranks(corpus: Corpus, follower: Follower | None) -> list[list[int]]:
    """The nearest chunks to each question, through the follower or by exact search."""
    corpus.search_cache.follower = follower
    found = []
    for question in QUESTIONS:
        vector = corpus.encoder.embed_query(question)
        with corpus.catalog.read() as snapshot:
            row = corpus.contents.row(snapshot)
            if follower is not None:
                assert follower.search(row, vector, 4, None) is not None, "the index was not asked"
            found.append([key for key, _ in RevisionSearch(corpus.search_cache, snapshot, row).nearest(vector, 4)])
    corpus.search_cache.follower = None
    return found


def test_it_finds_what_exact_search_finds_and_catches_up(
    corpus: Corpus, fast_host: Host, small_book: Path, tmp_path: Path
) -> None:
    follower = Follower(corpus, tmp_path / "index", None)
    assert follower.catch_up()
    assert _ranks(corpus, follower) == _ranks(corpus, None)
    assert not follower.catch_up()

    (small_book / "01-wheels.md").unlink()
    (small_book / "03-legs.md").write_text("# Legs\n\n## Feet\n\nA foot bears the robot's weight.\n", "utf-8")
    add_book(fast_host, small_book, "Parts")
    with corpus.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
    assert follower.search(row, corpus.encoder.embed_query("foot"), 4, None) is None, "not at this change"
    assert follower.catch_up()
    assert _ranks(corpus, follower) == _ranks(corpus, None)
    follower.close()


def test_a_store_that_was_closed_is_used_again(
    corpus: Corpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = Follower(corpus, tmp_path / "index", None)
    first.catch_up()
    first.close()
    second = Follower(corpus, tmp_path / "index", None)
    second.catch_up()
    assert "rebuilt" not in caplog.text
    assert _ranks(corpus, second) == _ranks(corpus, None)
    second.close()


def test_a_store_that_was_not_closed_is_made_anew(
    corpus: Corpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Follower(corpus, tmp_path / "index", None).catch_up()
    again = Follower(corpus, tmp_path / "index", None)
    again.catch_up()
    assert "did not close it" in caplog.text
    assert _ranks(corpus, again) == _ranks(corpus, None)
    again.close()


def test_a_store_of_later_changes_than_a_restored_catalogs_is_made_anew(
    tmp_path: Path, small_book: Path, caplog: pytest.LogCaptureFixture
) -> None:
    catalog, kept = tmp_path / "data" / "catalog.sqlite", tmp_path / "kept.sqlite"
    with open_host(tmp_path) as host:
        shelf = add_book(host, small_book, "Parts")
    shutil.copy(catalog, kept)
    with open_host(tmp_path) as host:
        shelf = Shelf(host)
        (small_book / "01-wheels.md").unlink()
        shelf.add(shelf.plan(small_book), title="Parts")
        later = Follower(shelf.corpus, tmp_path / "index", None)
        later.catch_up()
        later.close()
    kept.replace(catalog)
    with open_host(tmp_path) as host:
        corpus = Shelf(host).corpus
        follower = Follower(corpus, tmp_path / "index", None)
        assert follower.catch_up()
        assert "a backup was restored" in caplog.text
        assert _ranks(corpus, follower) == _ranks(corpus, None)
        follower.close()


@pytest.mark.parametrize("damage", ["gone", "halved", "no database"])
def test_a_damaged_store_is_found_out_and_made_anew(
    corpus: Corpus, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    first = Follower(corpus, tmp_path / "index", None)
    first.catch_up()
    first.close()
    (store,) = (tmp_path / "index").glob("store-*")
    database = store / "chroma.sqlite3"
    if damage == "gone":
        shutil.rmtree(store)
    elif damage == "halved":
        database.write_bytes(database.read_bytes()[: database.stat().st_size // 2])
    else:
        database.write_bytes(b"nothing of the kind" * 500)
    again = Follower(corpus, tmp_path / "index", None)
    again.catch_up()
    assert "is rebuilt" in caplog.text
    assert _ranks(corpus, again) == _ranks(corpus, None)
    again.close()


def test_a_failing_store_leaves_the_answers_to_exact_search(corpus: Corpus, tmp_path: Path) -> None:
    class Failing(SimpleVectorStore):
        def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
            raise RuntimeError("no more")

        def clear(self) -> None:
            pass

    follower = Follower(corpus, tmp_path / "index", Failing())
    follower.catch_up()
    corpus.search_cache.follower = follower
    with corpus.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
        found = RevisionSearch(corpus.search_cache, snapshot, row).nearest(corpus.encoder.embed_query("caster"), 4)
    assert len(found) == 4
    assert "no more" in (follower.failure or "")
    assert follower.current is None
    corpus.search_cache.follower = None


def test_batches_grow_with_the_store(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each addition takes Chroma longer, the more rows it has: equal batches would take quadratic time."""
    sizes = []

    class Counting(SimpleVectorStore):
        def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
            sizes.append(len(nodes))
            return super().add(nodes, **kwargs)

        def clear(self) -> None:
            pass

    monkeypatch.setattr("ragstone.core.vector_index.follower._LEAST_BATCH", 1)
    monkeypatch.setattr("ragstone.core.vector_index.follower._STORED_PER_BATCH_ROW", 1)
    Follower(corpus, tmp_path / "index", Counting()).catch_up()
    assert sizes == [1, 1, 2]


def test_a_plugin_swaps_in_its_own_store(tmp_path: Path, small_book: Path) -> None:
    store = InMemory()
    alone = {"enabled": ["test_models", "in_memory", "book_chat"]}  # another plugin's corpus would get the same store
    with open_host(tmp_path, plugins={"in_memory": WithStore(store)}, options=alone) as host:
        shelf = add_book(host, small_book, "Parts")
        host.serve()
        until_followed(shelf.corpus)
        assert len(store.data.embedding_dict) == 4
        assert "caster" in host.assistant("book_chat").ask("What is a caster?").text.lower()


def test_a_following_host_answers_while_and_after_it_catches_up(real_host: Host, small_book: Path) -> None:
    if not Path(real_host.hooks.encoder.model.files.model).exists():  # type: ignore[attr-defined]
        missing("the encoder")
    shelf = add_book(real_host, small_book, "Parts")
    real_host.serve()
    ask = real_host.assistant("book_chat").ask
    at_once = ask("What is a caster?")
    until_followed(shelf.corpus)
    assert ask("What is a caster?").text == at_once.text
    assert ask(Question("What is a caster?", filters={"book": "parts"})).text == at_once.text
    assert any("Chroma follows" in check.detail for check in real_host.checks())


def test_an_index_begins_where_it_pays(tmp_path: Path) -> None:
    def add(host: Host, files: int) -> Corpus:
        folder = tmp_path / f"book-of-{files}"
        folder.mkdir()
        for number in range(files):
            (folder / f"{number}.md").write_text(f"# Part {number}\n\n## Wheel {number}\n\nWheel {number} turns.\n")
        shelf = add_book(host, folder, folder.name)
        return shelf.corpus

    with open_host(tmp_path, index={"store": "auto", "from_chunks": 4}) as host:
        corpus = add(host, 1)
        host.serve()
        until(lambda: _detail(host).startswith("none below 4 passages"), "the reason")
        assert corpus.search_cache.follower is None
        add(host, 3)
        until(lambda: _detail(host) == "Chroma follows the catalog", "the index")
        until_followed(corpus)


def _detail(host: Host) -> str:
    return next(check.detail for check in host.checks() if check.name == "vector index")
