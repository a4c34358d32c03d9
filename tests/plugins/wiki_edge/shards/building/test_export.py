"""A corpus of the catalog becomes a shard with the vectors that it has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llama_index.core.schema import Document

from ragstone.core import BadRequest, Encoder, Host, NotFound, SourceError
from ragstone.core.cli import main
from ragstone.core.embedding.windows import Window, WindowSplitter
from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import BuildOptions, ExportOptions, build_shard, export_corpus, verify_shards


def _articles() -> Iterator[Document]:
    for number in range(3):
        text = "\n\n".join(f"Robot {number} lifts box {at} to the shelf." * 30 for at in range(8))
        known = {"title": f"Robot {number}", "url": f"https://example.org/{number}", "license": "CC0"}
        sections = [[0, "", ""], [text.index("Robot", 2000), "Work", "Work"]]
        yield Document(id_=str(number), text=text, metadata={**known, "sections": sections})


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with open_host(tmp_path / "host") as opened:
        opened.corpus("articles", kind="article").ingest(_articles())
        yield opened


def test_an_exported_shard_has_the_catalogs_chunks_and_vectors(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = host.find_corpus("articles")

    def never(*_: Any) -> Any:
        raise AssertionError("embedded again")

    with monkeypatch.context() as patch:
        patch.setattr(Encoder, "embed_texts", never)
        report = export_corpus(ExportOptions("articles", tmp_path / "out", "robots", domain="home"), host)
    assert (report.articles, report.chunks) == (3, corpus.info().chunks)
    assert verify_shards(tmp_path / "out") == []
    rows = [json.loads(line) for line in (report.folder / "metadata.jsonl").read_text("utf-8").splitlines()]
    nodes = [node for number in range(3) for node in corpus.contents.document_nodes(str(number))]
    assert [(row["id"], row["text"]) for row in rows] == [(node.node_id, node.text) for node in nodes]
    assert {(row["title"], row["license"], row["domain"]) for row in rows} == {
        (f"Robot {number}", "CC0", "home") for number in range(3)
    }
    assert any(row.get("heading") == "Work" and row["url"].endswith("#Work") for row in rows)
    vectors = np.load(report.folder / "embeddings.npy")
    with corpus.catalog.read() as snapshot:
        key = snapshot.documents(corpus.contents.row(snapshot).id)[0].key
        stored = snapshot.vectors.of_document(key, corpus.encoder.dimension)
    assert np.allclose(vectors[0], stored.vectors[0], atol=1e-6)
    assert export_corpus(ExportOptions("articles", tmp_path / "out", "robots"), host).entry.revision == 2


def test_chunks_with_several_vectors_get_their_mean(
    tmp_path: Path, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    halves = [(0, 200), (200, 400)]
    monkeypatch.setattr(
        WindowSplitter, "split", lambda _, chunks: [[Window("", text, *each) for each in halves] for _, text in chunks]
    )
    corpus = host.corpus("windows", kind="article")
    corpus.ingest([Document(id_="a", text="A robot lifts a box. " * 30), Document(id_="b", text="A cup of tea. " * 40)])
    report = export_corpus(ExportOptions("windows", tmp_path / "out", "windows"), host)
    assert report.chunks == 2
    assert np.allclose(np.linalg.norm(np.load(report.folder / "embeddings.npy"), axis=1), 1, atol=1e-6)


def test_a_corpus_of_another_encoder_is_embedded_again(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = host.find_corpus("articles")
    before = export_corpus(ExportOptions("articles", tmp_path / "out", "x"), host)
    monkeypatch.setattr(type(corpus), "has_vectors", lambda *_: False)
    again = export_corpus(ExportOptions("articles", tmp_path / "out", "x"), host)
    vectors, others = (np.load(each.folder / "embeddings.npy") for each in (before, again))
    assert np.allclose(vectors, others, atol=0.2)


def test_what_cannot_be_exported_is_reported(host: Host, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no corpus"):
        export_corpus(ExportOptions("nothing", tmp_path / "out", "x"), host)
    with pytest.raises(NotFound, match="is empty"):
        export_corpus(ExportOptions("wiki_edge", tmp_path / "out", "x"), host)
    export_corpus(ExportOptions("articles", tmp_path / "out", "x"), host)
    lines = [json.dumps({"_id": str(at), "title": f"T {at}", "text": "A whisk blends. " * 40}) for at in range(9)]
    (tmp_path / "corpus.jsonl").write_text("\n".join([*lines, "no JSON"]))
    with pytest.raises(SourceError):  # which leaves the build unfinished
        build_shard(BuildOptions(tmp_path / "corpus.jsonl", tmp_path / "out", "x", part_mb=0.001), host)
    unfinished = sorted((tmp_path / "out" / ".building-x").rglob("*"))
    assert unfinished
    with pytest.raises(BadRequest, match="unfinished build"):
        export_corpus(ExportOptions("articles", tmp_path / "out", "x"), host)
    assert sorted((tmp_path / "out" / ".building-x").rglob("*")) == unfinished


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["wiki", "export", "no corpus", "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert "cannot be the name of a folder" in capsys.readouterr().err
