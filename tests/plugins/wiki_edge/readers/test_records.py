"""JSON lines and parquet: both forms, and each fault with its line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document

from ragstone.core import SourceError
from ragstone.plugins.wiki_edge import ArticleReader
from tests.support.needs import needed
from tests.support.third_party_fakes import write_pages

WIKIPEDIA = [
    {"id": str(at), "url": f"https://en.wikipedia.org/wiki/T{at}", "title": f"T {at}", "text": f"Text {at}.\n\nMore."}
    for at in range(300)
]
BEIR = [{"_id": f"doc-{at}", "title": f"T {at}", "text": f"Text {at}."} for at in range(5)]


def read(path: Path, **options: str) -> list[Document]:
    return ArticleReader().load_data(path, **options)


def lines(path: Path, records: list[Any]) -> Path:
    raw = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def parquet(path: Path, records: list[dict[str, Any]], *, rows: int = 70) -> Path:
    pa, pq = needed("pyarrow"), needed("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist(records), path, row_group_size=rows)
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.parquet"])
def test_wikimedia_wikipedia(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    pages = read((parquet if name.endswith("parquet") else lines)(path, WIKIPEDIA))
    assert [one.doc_id for one in pages] == [record["id"] for record in WIKIPEDIA]
    assert pages[7].text == "Text 7.\n\nMore."
    known = {"title": "T 7", "url": "https://en.wikipedia.org/wiki/T7", "license": "CC-BY-SA-3.0", "language": "en"}
    assert known.items() <= pages[7].metadata.items()


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_beir(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    made = (parquet if name.endswith("parquet") else lines)(path, BEIR)
    pages = read(made, url_prefix="https://example.org/wiki/")
    assert [(one.doc_id, one.metadata["url"]) for one in pages][:2] == [
        ("doc-0", "https://example.org/wiki/T_0"),
        ("doc-1", "https://example.org/wiki/T_1"),
    ]
    assert not pages[0].metadata.keys() & {"license", "language"}


@pytest.mark.data
def test_a_real_beir_corpus(data: Path) -> None:
    pages = read(data / "wikipedia" / "squad13" / "corpus.jsonl")
    assert len(pages) == 856
    assert pages[0].doc_id == "American_Broadcasting_Company#0"
    assert "url" not in pages[0].metadata
    assert pages[0].text.startswith("The American Broadcasting Company (ABC) (stylized")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{not json}", "is not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"id": "1", "title": "A", "url": ""}', "has no text"),
        (b'{"id": "1", "title": null, "url": "", "text": "x"}', "has no title"),
        (b'{"id": "", "title": "A", "url": "", "text": "x"}', "id is no text"),
        (b'{"id": {"$oid": 1}, "title": "A", "url": "", "text": "x"}', "id is no text"),
        (b'{"id": "1", "id": "2", "title": "A", "url": "", "text": "x"}', "is there twice"),
        (b'{"id": "1", "title": "\\ud800", "url": "", "text": "x"}', "surrogate"),
        (b'{"id": "1", "title": "A", "url": "", "text": "\xff"}', "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = lines(tmp_path / "a.jsonl", WIKIPEDIA[:2])
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(SourceError, match=message) as error:
        read(path)
    assert error.value.where == f"{path}:3"


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    packed = lines(tmp_path / "a.jsonl.gz", WIKIPEDIA)
    packed.write_bytes(packed.read_bytes()[:-300])
    with pytest.raises(SourceError, match="end-of-stream marker"):
        read(packed)
    columns = parquet(tmp_path / "a.parquet", WIKIPEDIA)
    whole = columns.read_bytes()
    for damaged in (whole[:-100], whole[: len(whole) // 2], b"PAR1", b"", whole[:500] + b"\0" * 900 + whole[1400:]):
        columns.write_bytes(damaged)
        with pytest.raises(SourceError, match=r"parquet|column"):
            read(columns)


def test_other_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has the columns a, b"):
        read(parquet(tmp_path / "a.parquet", [{"a": 1, "b": "x"}]))
    numbers = [{"id": 1, "url": "", "title": "x", "text": "y"}]
    with pytest.raises(SourceError, match="the column id holds int64"):
        read(parquet(tmp_path / "b.parquet", numbers))


def test_boilerplate_of_plain_text_goes(tmp_path: Path) -> None:
    prose = "The village lies on a river in the north of the country. " * 4
    parts = [f"Lead. {prose}", "History", prose, "See also", "A list\nOf things", "References"]
    text = "\n\n".join([*parts, "Legacy", prose, "External links", "Site"])
    (one,) = read(lines(tmp_path / "a.jsonl", [{**WIKIPEDIA[0], "text": text}]))
    assert one.text.split() == " ".join([parts[0], "History", prose, "Legacy", prose]).split()


def test_only_addresses_of_the_web_are_kept(tmp_path: Path) -> None:
    urls = ("javascript:alert(1)", "file:///etc/passwd", "", "http://a.example/b")
    odd = [{**record, "url": url} for record, url in zip(WIKIPEDIA, urls, strict=False)]
    found = [one.metadata.get("url") for one in read(lines(tmp_path / "a.jsonl", odd))]
    assert found == [None, None, None, "http://a.example/b"]


def test_the_process_that_reads_lines_does_without_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy is half of what such a process imports, and each file, span and part has one."""
    monkeypatch.syspath_prepend(str(write_pages(tmp_path / "first", {"numpy.py": "raise SystemExit(7)\n"})))
    assert len(read(lines(tmp_path / "articles.jsonl", WIKIPEDIA))) == len(WIKIPEDIA)
    with pytest.raises(SourceError, match="reading ended: with 7"):
        read(write_pages(tmp_path, {"articles.zim": "ZIM"}) / "articles.zim")
