"""Dumps: what is an article, and what hostile XML gets."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.core import SourceError
from ragstone.plugins.wiki_edge.readers.dump import Dump
from tests.support.allocations import peak_bytes
from tests.support.needs import needed

from .dumps import FOOT, HEAD, multistream, page, plain

needed("mwparserfromhell")

PAGES = [page(number, f"Title {number}", f"Text of {number}.") for number in range(1, 11)]


def test_only_articles(tmp_path: Path) -> None:
    pages = [
        page(1, "Robot arm", "An ''arm''."),
        page(2, "Talk:Robot", "Talk.", ns=1),
        page(3, "Arm", "#REDIRECT [[Robot arm]]", redirect="Robot arm"),
        page(4, "Arm (robot)", "#redirect [[Robot arm]]"),
        page(5, "Script", "local x").replace("<model>wikitext", "<model>Scribunto"),
        page(6, "AC/DC & é", "A band."),
    ]
    dump = Dump(plain(tmp_path / "dump.xml", pages))
    found = [(one.id, one.title, one.url, one.revision) for one in dump.pages()]
    assert found == [
        ("1", "Robot arm", "https://en.wikipedia.org/wiki/Robot_arm", "7"),
        ("6", "AC/DC & é", "https://en.wikipedia.org/wiki/AC/DC_%26_%C3%A9", "7"),
    ]
    about = dump.about()
    assert (about.language, about.license) == ("en", "CC-BY-SA-4.0")


@pytest.mark.parametrize("kind", ["multistream", "bz2", "gz", "xml", "streams that end within a page"])
def test_every_form_of_a_dump(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "dump"
    whole = (HEAD + "".join(PAGES) + FOOT).encode()
    if kind == "multistream":
        multistream(path, PAGES)
    elif kind in {"bz2", "gz", "xml"}:
        path.write_bytes({"bz2": bz2.compress(whole), "gz": gzip.compress(whole), "xml": whole}[kind])
    else:
        path.write_bytes(b"".join(bz2.compress(whole[at : at + 700]) for at in range(0, len(whole), 700)))
    assert [one.title for one in Dump(path).pages()] == [f"Title {number}" for number in range(1, 11)]


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE mediawiki [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<mediawiki><page><title>&b;</title></page></mediawiki>"
)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (LAUGHS, "document type"),
        ('<!DOCTYPE mediawiki SYSTEM "file:///etc/passwd"><mediawiki/>', "document type"),
        ("<html><body/></html>", "no MediaWiki dump"),
        (f"{HEAD}<page>{'<a>' * 100}", "nested deeper"),
        (f"{HEAD}<page><title>{'x' * 5000}</title></page>{FOOT}", "longer than 4096"),
        (f"{HEAD}{PAGES[0]}", "not well-formed XML"),
        (f"{HEAD}{PAGES[0]}<page><title>A & B</title>", "not well-formed XML"),
        (f"{HEAD}<page><title>&undefined;</title></page>{FOOT}", "not well-formed XML"),
    ],
)
def test_hostile_xml_is_refused_with_its_line(tmp_path: Path, xml: str, message: str) -> None:
    path = tmp_path / "dump.xml"
    path.write_text(xml, "utf-8")
    with pytest.raises(SourceError, match=message) as error:
        list(Dump(path).pages())
    assert error.value.where is not None
    assert error.value.where.startswith(f"{path}:")


def test_a_text_without_end_is_refused(tmp_path: Path) -> None:
    path = plain(tmp_path / "dump.xml", [page(1, "Long", "x" * (4 * 2**20 + 1))])
    with pytest.raises(SourceError, match="longer than 4194304"):
        list(Dump(path).pages())


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    path = multistream(tmp_path / "dump.bz2", PAGES)
    whole = path.read_bytes()
    for length in range(4, len(whole), 97):
        path.write_bytes(whole[:length])
        with pytest.raises(SourceError):
            list(Dump(path).pages())


@pytest.mark.parametrize("pack", [bz2.compress, gzip.compress])
def test_a_bomb_is_read_in_small_pieces(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(b"<mediawiki>" + b" " * 50_000_000))

    def read() -> None:
        with pytest.raises(SourceError, match="not well-formed"):
            list(Dump(path).pages())

    assert peak_bytes(read) < 10_000_000


@given(at=st.integers(0, 2000), byte=st.integers(0, 255))
def test_a_flipped_byte_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, at: int, byte: int) -> None:
    path = multistream(tmp_path_factory.mktemp("flip") / "dump.bz2", PAGES)
    raw = bytearray(path.read_bytes())
    raw[at % len(raw)] = byte
    path.write_bytes(raw)
    try:
        assert len([one.read() for one in Dump(path).pages()]) <= 10
    except SourceError as error:
        assert error.where is not None
        assert str(path) in error.where
