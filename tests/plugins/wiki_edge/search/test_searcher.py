"""The searcher: what it finds in shards, which shards it takes, and how it keeps up with their manifests."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragstone.core import Host, NotFound
from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import Manifest, ShardRetriever, install_shards, searcher_of
from ragstone.plugins.wiki_edge.search.searcher import ShardSearcher
from tests.plugins.wiki_edge.shards.samples import NAME

from .tools import TOOLS, write


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with open_host(tmp_path) as opened:
        yield opened


def searcher(host: Host, *folders: Path, **more: Any) -> ShardSearcher:
    return ShardSearcher(folders, lambda: host.hooks.encoder, cache=folders[0].parent / "cache", **more)


def titles(found: list[Any]) -> list[str]:
    return [hit["metadata"]["title"] for hit in found]


@pytest.mark.parametrize("sides", [True, False])
def test_the_chunk_that_tells_comes_first(host: Host, tmp_path: Path, sides: bool) -> None:
    write(host, tmp_path / "wiki", sides=sides)
    reads = searcher(host, tmp_path / "wiki")
    for question, title in (
        ("What boils water?", "Kettle"),
        ("what drives nails", "Hammer"),
        ("drain pasta", "Colander"),
    ):
        first, *_ = reads.search(question, k=3)
        assert first["metadata"]["title"] == title
        assert first["shard"] == "tools"
        assert first["metadata"]["text"] == TOOLS[title]
        assert -1 <= (first["cosine"] or 0) <= 1
    assert len(list((tmp_path / "cache").glob("*/offsets.npy"))) == (0 if sides else 1)
    assert reads.search("zebra crossing quagga") == [] or reads.search("zebra crossing quagga")[0]["score"] < 1


def test_by_a_vector_alone_the_score_is_the_cosine(host: Host, tmp_path: Path) -> None:
    write(host, tmp_path / "wiki")
    reads = searcher(host, tmp_path / "wiki")
    vector = host.hooks.encoder.embed_query(f"Whisk\n{TOOLS['Whisk']}")
    found = reads.nearest(vector, k=5)
    assert titles(found)[0] == "Whisk"
    assert found[0]["score"] == pytest.approx(1.0, abs=1e-5)
    assert [hit["score"] for hit in found] == sorted((hit["score"] for hit in found), reverse=True)
    assert set(found[0]) >= {"score", "metadata"}


def test_several_shards_are_one_library(host: Host, tmp_path: Path) -> None:
    names = list(TOOLS)
    write(host, tmp_path / "wiki", "a", {name: TOOLS[name] for name in names[:2]}, language="en")
    write(host, tmp_path / "wiki", "b", {name: TOOLS[name] for name in names[2:]}, language="de")
    write(host, tmp_path / "episodic", "own", {"Yesterday": "Yesterday the kettle boiled over."}, kind="episodic")
    whole = write(host, tmp_path / "one", "whole", TOOLS)
    both, one = searcher(host, tmp_path / "wiki", tmp_path / "episodic"), searcher(host, tmp_path / "one")
    assert [entry.id for entry in both.shards] == ["a", "b", "own"]
    for question in ("What boils water?", "drain pasta", "a tool with a heavy head"):
        parted, together = both.search(question, kind="wiki"), one.search(question)
        assert titles(parted) == titles(together)
        # How long a chunk is on average is each shard's own.
        assert [hit["score"] for hit in parted] == pytest.approx([hit["score"] for hit in together], abs=0.01)
    assert whole.size == 5
    assert titles(both.search("kettle", kind="episodic")) == ["Yesterday"]
    assert set(titles(both.search("kettle", language="de", k=9))) == set(names[2:])
    assert both.idf(["kettl"])["kettl"] < both.idf(["ladder"])["ladder"]


def test_domains_of_shards_and_of_rows(host: Host, tmp_path: Path) -> None:
    domains = ["kitchen", "kitchen", "workshop", "kitchen", None]
    write(host, tmp_path / "wiki", "rows", domains=domains, domain="household")
    write(host, tmp_path / "wiki", "shard", {"Pan": "A pan fries eggs."}, domain="kitchen")
    reads = searcher(host, tmp_path / "wiki")
    assert set(titles(reads.search("tool", domain="kitchen", k=9))) == {"Whisk", "Colander", "Kettle", "Pan"}
    assert titles(reads.search("tool", domain="workshop", k=9)) == ["Hammer"]
    assert titles(reads.search("tool", domain="household", k=9)) == ["Ladder"]
    assert reads.search("tool", domain="garden") == []


def test_a_shard_of_another_encoder_is_refused_by_name(host: Host, tmp_path: Path) -> None:
    write(host, tmp_path / "wiki", "good")
    write(host, tmp_path / "wiki", "other", encoder={"model": "HAT", "fingerprint": "hat/7"})
    reads = searcher(host, tmp_path / "wiki")
    assert [entry.id for entry in reads.shards] == ["good"]
    (refused,) = reads.refused
    assert refused.place == "other"
    assert "made by the encoder hat/7" in refused.reason
    assert host.hooks.encoder.family in refused.reason


def test_what_is_installed_meanwhile_is_there(host: Host, tmp_path: Path) -> None:
    reads = searcher(host, tmp_path / "wiki")
    assert reads.search("kettle") == []
    write(host, tmp_path / "wiki", "a", {"Pan": "A pan fries eggs."})
    assert titles(reads.search("fries eggs")) == ["Pan"]
    write(host, tmp_path / "wiki", "b")
    assert titles(reads.search("boils water", k=1)) == ["Kettle"]
    assert len(reads.shards) == 2


def test_a_manifest_that_breaks_leaves_the_former_one_serving(
    host: Host, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(host, tmp_path / "wiki")
    reads = searcher(host, tmp_path / "wiki")
    assert titles(reads.search("boils water", k=1)) == ["Kettle"]
    (tmp_path / "wiki" / NAME).write_text("{", "utf-8")
    with caplog.at_level(logging.WARNING):
        assert titles(reads.search("boils water", k=1)) == ["Kettle"]
        assert titles(reads.search("boils water", k=1)) == ["Kettle"]
    assert sum("is not JSON" in record.message for record in caplog.records) == 1
    assert reads.refused[0].reason.startswith("is not JSON")


def test_releases_without_a_manifest_are_not_taken_for_an_empty_folder(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        write(host, tmp_path / "from")
        install_shards(tmp_path / "from", tmp_path / "data" / "wiki")
        assert [check.ok for check in host.hooks.checks(thorough=True) if "shards" in check.name] == [True, True]
        (tmp_path / "data" / "wiki" / NAME).unlink()
        assert "A kettle boils water" in host.assistant("wiki_edge").ask("What boils water for tea?").text
    with open_host(tmp_path) as host:
        assert "ragstone wiki verify" in host.assistant("wiki_edge").ask("What boils water for tea?").text
        assert [check.detail for check in host.checks() if check.name == "shards"] == [
            f"refused: {tmp_path / 'data' / 'wiki' / NAME}: is missing"
        ]


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("embeddings.npy", lambda raw: raw[:-1] + b"X", "embeddings.npy: has the SHA-256 "),
        ("metadata.jsonl", lambda raw: raw[:100], "metadata.jsonl: has 100 bytes, and its offsets are of one with "),
    ],
)
def test_doctor_names_a_file_that_is_not_as_it_was_installed(
    name: str, change: Callable[[bytes], bytes], reason: str, tmp_path: Path
) -> None:
    with open_host(tmp_path) as host:
        write(host, tmp_path / "from", sides=True)
        (report,) = install_shards(tmp_path / "from", tmp_path / "data" / "wiki")
        (report.folder / name).write_bytes(change((report.folder / name).read_bytes()))
        (fault,) = [check for check in host.hooks.checks(thorough=True) if not check.ok]
        assert reason in fault.detail


def test_a_new_release_that_is_damaged_leaves_the_former_one_serving(host: Host, tmp_path: Path) -> None:
    write(host, tmp_path / "wiki")
    reads = searcher(host, tmp_path / "wiki")
    assert titles(reads.search("boils water", k=1)) == ["Kettle"]
    shutil.copytree(tmp_path / "wiki" / "tools", tmp_path / "wiki" / "second")
    (tmp_path / "wiki" / "second" / "metadata.jsonl").write_text("not json\n" * 5, "utf-8")
    fields = {"embedding_file": "second/embeddings.npy", "metadata_file": "second/metadata.jsonl", "revision": 2}
    manifest = Manifest.read(tmp_path / "wiki" / NAME)
    manifest.with_shard(manifest.shards[0].changed(**fields)).write(tmp_path / "wiki" / NAME)
    assert titles(reads.search("boils water", k=1)) == ["Kettle"]
    (refused,) = reads.refused
    assert refused.place == "tools"
    assert "second/metadata.jsonl:1" in refused.reason


def test_files_that_go_under_an_open_shard_are_not_missed(host: Host, tmp_path: Path) -> None:
    write(host, tmp_path / "wiki", sides=True)
    reads = searcher(host, tmp_path / "wiki")
    reads.search("kettle")
    shutil.rmtree(tmp_path / "wiki" / "tools")
    assert titles(reads.search("boils water", k=1)) == ["Kettle"]


@pytest.mark.parametrize("factor", [np.nan, 1e20, -1e20, 5])
def test_rows_that_are_no_directions_are_near_nothing(host: Host, tmp_path: Path, factor: float) -> None:
    write(host, tmp_path / "wiki")
    path = tmp_path / "wiki" / "tools" / "embeddings.npy"
    rows = np.load(path)
    rows[1] *= factor
    np.save(path, rows)
    reads = searcher(host, tmp_path / "wiki")
    assert "Colander" not in titles(reads.nearest(host.hooks.encoder.embed_query("colander"), k=5))


@pytest.mark.parametrize("purpose", ["packed", "term_rows", "offsets", "codes", "terms"])
def test_side_files_that_lie_never_give_a_wrong_chunk(host: Host, tmp_path: Path, purpose: str) -> None:
    entry = write(host, tmp_path / "wiki", sides=True)
    assert entry.side_files is not None
    path = tmp_path / "wiki" / "tools" / entry.side_files[purpose]
    raw = bytearray(path.read_bytes())
    raw[128:] = bytes(255 - byte for byte in raw[128:])
    path.write_bytes(bytes(raw))
    reads = searcher(host, tmp_path / "wiki")
    found = reads.search("What boils water?", k=5)
    if purpose == "offsets":
        assert "offsets" in reads.refused[0].reason
    for hit in found:
        assert hit["metadata"]["text"] == TOOLS[hit["metadata"]["title"]]


def test_the_budget_of_memory_is_kept(host: Host, tmp_path: Path) -> None:
    write(host, tmp_path / "wiki", sides=True)
    small, large = searcher(host, tmp_path / "wiki", cache_mb=0.001), searcher(host, tmp_path / "wiki")
    assert [hit["score"] for hit in small.search("boils water")] == [
        hit["score"] for hit in large.search("boils water")
    ]
    before = small.memory.used
    small.search("drives nails into wood")
    assert small.memory.used == before
    assert large.memory.used > before


def test_the_assistant_quotes_with_the_page(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        write(host, tmp_path / "data" / "wiki")
        assert searcher_of(host) is searcher_of(host)
        answer = host.assistant("wiki_edge").ask("What boils water for tea?")
        assert not answer.refused
        assert "A kettle boils water for tea" in answer.text
        assert answer.citations[0].url == "https://example.org/Kettle"
        assert host.assistant("wiki_edge").ask("Who composed the ninth symphony?").refused
        retriever = ShardRetriever(searcher_of(host), top_k=2, kind="wiki")
        assert retriever.retrieve("drives nails")[0].node.metadata["title"] == "Hammer"
        assert any(check.name == "shards" and check.ok for check in host.checks())


def test_a_cited_chunk_is_found_again_by_its_id(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        write(host, tmp_path / "data" / "wiki", "tools")
        write(host, tmp_path / "data" / "wiki", "tools:more", {"Plane": "A plane shaves wood until it is flat."})
        write(host, tmp_path / "data" / "episodic", "own", {"Yesterday": "The kettle boiled over."}, kind="episodic")
        assistant = host.assistant("wiki_edge")
        assert assistant.has_chunks
        for question in ("What boils water for tea?", "What shaves wood?"):
            citation = assistant.ask(question).citations[0]
            chunk = assistant.chunk(citation.chunk_id)
            assert citation.quote in chunk.get_content()
            assert chunk.node_id == citation.chunk_id
        for name in ("tools:", "tools:nothing", "nowhere:1", "tools", "", "tools:\ud800", "own:1", "own:Yesterday"):
            with pytest.raises(NotFound, match="no such passage"):
                assistant.chunk(name)


def test_without_shards_the_assistant_says_what_to_do(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        answer = host.assistant("wiki_edge").ask("What boils water?")
        assert answer.refused
        assert "ragstone wiki install" in answer.text
        assert not any(check.name == "shards" for check in host.checks())


def test_the_gate_is_given_the_words_that_no_chunk_has(host: Host, tmp_path: Path) -> None:
    write(host, tmp_path / "wiki")
    found = searcher(host, tmp_path / "wiki").retrieve("Is a whisk normally used by Zorbulans?")
    assert found.spelling.unknown == {"zorbulan"}
    assert set(found.idf) == {"whisk", "zorbulan"}  # no text says "normally", nor does it have to


def test_the_chunk_that_defines_what_is_asked_for_is_offered(host: Host, tmp_path: Path) -> None:
    uses = {f"Use {n}": f"Winch {n} of the ship: a winch, a winch beside the winch, and winch rope." for n in range(9)}
    write(host, tmp_path / "wiki", texts={**uses, "Parts": "Boats have parts. A winch is a drum that pulls a rope."})
    reads = searcher(host, tmp_path / "wiki")
    assert "Parts" in titles(reads.search("What is a winch?", k=3))
    assert "Parts" not in titles(reads.search("winch rope ship", k=3))
