"""ZIM files: real ones in three versions of the format, broken ones, and any byte changed."""

from __future__ import annotations

import hashlib
import io
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.core import SourceError
from ragstone.plugins.wiki_edge.readers.article_reader import ArticleStream, ReadRequest
from ragstone.plugins.wiki_edge.readers.compression import decompressed
from ragstone.plugins.wiki_edge.readers.worker import UNREADABLE
from ragstone.plugins.wiki_edge.readers.zim import Zim
from tests.support.needs import needed

needed("lxml")
needed("zstandard")

RAY = "wikipedia_en_ray_charles_2015-06.zim"
BOOKS = ("withns", "nons", "noTitleListingV0")


def read(path: Path) -> list[tuple[Any, Any]]:
    return [(page, page.read()) for page in Zim(path).pages()]


def output(text: Any) -> str:
    return "\n\n".join(block.text for block in text.blocks)


@pytest.mark.data
def test_the_ray_charles_file(data: Path) -> None:
    zim = Zim(data / "zim" / RAY)
    about = zim.about()
    assert (about.language, about.license, about.date) == ("en", "CC-BY-SA-3.0", "2015-06-02")
    texts = read(data / "zim" / RAY)
    pages = [page for page, _ in texts]
    by_title = {page.title: text for page, text in texts}
    assert len(by_title) == len(pages) == 84
    assert len({page.id for page in pages}) == 84
    text = by_title["America the Beautiful"]
    assert text.url == "http://en.wikipedia.org/wiki/America_the_Beautiful"
    assert text.revision == "656716888"
    assert "The lyrics were written by Katharine Lee Bates" in output(text)
    assert "issued from" not in output(text)
    assert "Mount Rushmore" not in output(text)  # of a box at the page's end
    assert {block.heading for block in text.blocks} >= {"", "History", "Lyrics"}
    whole = "\n".join(output(text) for _, text in texts)
    assert not [mark for mark in ("[edit]", "[1]", "citation needed", "\u200b", "<div") if mark in whole]


@pytest.mark.data
def test_three_versions_of_the_format_hold_the_same(data: Path) -> None:
    found = []
    for name in BOOKS:
        texts = read(data / "zim" / f"{name}_wikibooks_be_all_nopic_2017-02.zim")
        found.append(sorted((page.id, page.title, output(text)) for page, text in texts))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 65
    assert any("кухня" in one[1] for one in found[0])


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("withns_invalid.smaller_than_header.zim", "40 bytes"),
        ("withns_invalid.bad_mimetype_list.zim", "MIME types"),
        ("withns_invalid.offset_in_cluster.zim", "the blobs of cluster 1 lie at impossible offsets"),
    ],
)
def test_broken_files_are_refused(data: Path, name: str, message: str) -> None:
    with pytest.raises(SourceError, match=message) as error:
        read(data / "zim" / name)
    assert error.value.where == str(data / "zim" / name)


@pytest.mark.data
def test_the_only_page_is_read_although_readers_begin_with_it(data: Path) -> None:
    ((_, text),) = read(data / "zim" / "withns_small.zim")
    assert "Test ZIM file" in output(text)


@pytest.mark.data
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 2000), tail=st.booleans(), value=st.binary(min_size=1, max_size=8))
def test_changed_bytes_are_read_or_refused(data: Path, tmp_path: Path, at: int, tail: bool, value: bytes) -> None:
    raw = bytearray((data / "zim" / "withns_small.zim").read_bytes())
    start = len(raw) - 300 + at % 290 if tail else at
    raw[start : start + len(value)] = value
    path = tmp_path / "changed.zim"
    path.write_bytes(raw)
    try:
        Zim(path).about()
        read(path)
    except SourceError as error:
        assert error.where is not None
        assert str(path) in error.where


@pytest.mark.data
def test_a_cut_file_is_refused(data: Path, tmp_path: Path) -> None:
    raw = (data / "zim" / "withns_wikibooks_be_all_nopic_2017-02.zim").read_bytes()
    path = tmp_path / "cut.zim"
    for length in range(0, len(raw), len(raw) // 25):
        path.write_bytes(raw[:length])
        with pytest.raises(SourceError):
            read(path)


def test_a_page_that_no_wiki_has_costs_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "made.zim"
    path.write_bytes(zim_file({"Deep": b"<div>" * 3_000 + b"lost", "Dog": b"<p>A dog is a <b>pet</b>.</p>"}))
    stream = ArticleStream(ReadRequest((path,)))
    assert [document.text for document in stream] == ["A dog is a pet."]
    assert stream.left_out == {UNREADABLE: 1}


def zim_file(pages: dict[str, bytes]) -> bytes:
    """A file of version 6.1 with the pages in one cluster that is not compressed."""
    mimes, count = b"text/html\0\0", len(pages)
    entries = [
        struct.pack("<HBcIII", 0, 0, b"C", 0, 0, at) + f"{name}\0\0".encode() for at, name in enumerate(sorted(pages))
    ]
    blobs = [pages[name] for name in sorted(pages)]
    offsets = [4 * (count + 1) + sum(map(len, blobs[:at])) for at in range(count + 1)]
    cluster = b"\1" + struct.pack(f"<{count + 1}I", *offsets) + b"".join(blobs)
    urls = 80 + len(mimes)
    titles, clusters = urls + 8 * count, urls + 12 * count
    starts = [clusters + 8 + sum(map(len, entries[:at])) for at in range(count + 1)]
    sum_at = starts[-1] + len(cluster)
    head = (72173914, 6, 1, b"u" * 16, count, 1, urls, titles, clusters, 80, 0xFFFFFFFF, 0xFFFFFFFF, sum_at)
    tables = struct.pack(f"<{count}Q{count}IQ", *starts[:-1], *range(count), starts[-1])
    raw = struct.pack("<IHH16sIIQQQQIIQ", *head) + mimes + tables + b"".join(entries) + cluster
    return raw + hashlib.md5(raw, usedforsecurity=False).digest()


def test_a_bomb_ends_at_the_limit() -> None:
    import lzma

    zstandard = needed("zstandard")
    plain = b"\0" * 20_000_000
    for how, packed in ((4, lzma.compress(plain)), (5, zstandard.compress(plain))):
        assert len(decompressed(how, io.BytesIO(packed).read, len(plain))) == len(plain)
        with pytest.raises(ValueError, match="larger than 1 MB"):
            decompressed(how, io.BytesIO(packed).read, 2**20)
