"""What is read of a book, and what is refused."""

from __future__ import annotations

import struct
import time
import zipfile
from typing import TYPE_CHECKING

import pytest
from ragstone_epub import EpubReader, Refused
from ragstone_epub.archive import MAX_IN_ALL, MAX_PART
from ragstone_epub.markdown import to_markdown

from ragstone.core.testing import FileReaderContract, plugin_state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from llama_index.core.schema import Document

    from ragstone.core import Host

    Make = Callable[[Mapping[str, str | bytes | None]], Path]

TEXT = """# Wheels

## Casters

A caster is a wheel that swivels about a vertical axis.

# Grippers

A parallel gripper closes two jaws along one line.
"""


class TestReader(FileReaderContract):
    @pytest.fixture
    def reader(self) -> EpubReader:
        return EpubReader()

    @pytest.fixture
    def source(self, book: Path) -> Path:
        return book


def read(path: Path) -> Document:
    (document,) = EpubReader().load_data(path)
    return document


def refused(path: Path) -> str:
    with pytest.raises(Refused) as caught:
        EpubReader().load_data(path)
    assert caught.value.where == str(path)
    return caught.value.reason


def test_the_plugin_is_installed(host: Host) -> None:
    assert plugin_state(host, "epub").state == "loaded"
    assert isinstance(host.hooks.readers[".kepub"], EpubReader)


def test_chapters_come_in_the_order_of_the_spine(book: Path) -> None:
    document = read(book)
    assert document.text == TEXT
    assert document.metadata == {"title": "Robot parts", "author": "Ada Smith"}


def test_tags_are_distinguished_from_what_looks_like_one() -> None:
    page = (
        """<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "<p>no</p>"> ]><p title='a > b'>x < y <br/>&#99999;&#65;
      <![CDATA[1 < 2 &amp;]]><IMG alt="</p>" />&unknown;</p><!-- <p>no</p> --><p>&#"""
        + "9" * 5000
    )
    assert to_markdown(page).startswith("x < y \U0001869fA 1 < 2 &amp;")


def test_a_page_that_is_not_well_formed_is_read_as_browsers_do(make: Make) -> None:
    page = "<html><head><title>x<body><h2>Bolts</h2><p>Tom &amp; Ann&nbsp;say<br>a < b<p>Unclosed"
    assert read(make({"OEBPS/text/one.xhtml": page})).text.endswith("## Bolts\n\nTom & Ann say a < b\n\nUnclosed\n")


def test_a_page_says_its_encoding(make: Make) -> None:
    page = '<?xml version="1.0" encoding="iso-8859-1"?><html><body><p>Kühlung</p></body></html>'
    assert "Kühlung" in read(make({"OEBPS/text/one.xhtml": page.encode("latin-1")})).text
    assert "Kühlung" in read(make({"OEBPS/text/one.xhtml": page.replace("iso-8859-1", "utf-16").encode("utf-16")})).text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ul><li><p>one</p></li><li>two<ol><li>three</li></ol></li></ul>", "- one\n\n- two\n\n  1. three"),
        ("<blockquote><p>said</p></blockquote><p>after</p>", "> said\n\nafter"),
        ("<pre>if a:\n    b()</pre>", "```\nif a:\n    b()\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td><p>1|2</p></td><td></td></tr></table><p>x</p>",
            "| a | b |\n| --- | --- |\n| 1\\|2 |  |\n\nx",
        ),
        ("<p># no heading</p><p>3. no item</p><p>3.5 volts</p>", "\\# no heading\n\n3\\. no item\n\n3.5 volts"),
        ("<p>a\u200bb\x1b[31mc</p>", "ab [31mc"),
        ("<p>a<!-- b --><svg><text>c</text></svg>d</p><ruby>e<rt>f</rt></ruby>", "ad\n\ne"),
    ],
)
def test_what_becomes_of_a_page(page: str, text: str) -> None:
    assert to_markdown(page) == text


# Refusals


def test_a_part_that_unpacks_to_much_is_refused(make: Make) -> None:
    assert refused(make({"OEBPS/text/one.xhtml": b"<p>" + b"a" * MAX_PART})) == "bomb"


def test_parts_that_unpack_to_much_together_are_refused(make: Make) -> None:
    package = make({})
    with zipfile.ZipFile(package) as archive:
        opf = archive.read("OEBPS/book.opf").decode()
    again = '<itemref idref="one"/>' * (MAX_IN_ALL // 4_000_000)
    path = make(
        {
            "OEBPS/book.opf": opf.replace("</spine>", f"{again}</spine>"),
            "OEBPS/text/one.xhtml": b"<!--" + b"a" * 4_000_000 + b"-->",
        }
    )
    assert refused(path) == "bomb"


@pytest.mark.parametrize(
    "href",
    ["../../etc/passwd", "/etc/passwd", "%2e%2e/%2e%2e/secret", "file:///etc/passwd", "//host/a", "..\\a", "http://[a"],
)
def test_a_part_outside_of_the_book_is_refused(make: Make, href: str) -> None:
    package = make({})
    with zipfile.ZipFile(package) as archive:
        opf = archive.read("OEBPS/book.opf").decode()
    assert refused(make({"OEBPS/book.opf": opf.replace("text/one.xhtml", href)})) == "escapes"


@pytest.mark.parametrize("part", ["META-INF/container.xml", "OEBPS/book.opf"])
@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]>',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1/x"> %b;]>',
    ],
)
def test_entities_are_refused(make: Make, part: str, declared: str) -> None:
    path = make({})
    with zipfile.ZipFile(path) as archive:
        text = archive.read(part).decode()
    assert (
        refused(make({part: text.replace('<?xml version="1.0"?>', f'<?xml version="1.0"?>{declared}')})) == "entities"
    )


def test_entities_of_a_page_stay_as_they_stand(make: Make) -> None:
    page = '<!DOCTYPE html [<!ENTITY b SYSTEM "file:///etc/passwd">]><html><body><p>x &b; y</p></body></html>'
    assert "root:" not in read(make({"OEBPS/text/one.xhtml": page})).text


def test_a_protected_book_is_refused(make: Make) -> None:
    protected = '<encryption><CipherData><CipherReference URI="OEBPS/{}"/></CipherData></encryption>'
    assert refused(make({"META-INF/encryption.xml": protected.format("text/one.xhtml")})) == "encrypted"
    assert read(make({"META-INF/encryption.xml": protected.format("font.otf")})).text == TEXT


@pytest.mark.parametrize(
    "changed",
    [
        {"META-INF/container.xml": None},
        {"META-INF/container.xml": "<container/>"},
        {"META-INF/container.xml": "<container>"},
        {"OEBPS/book.opf": None},
        {"OEBPS/book.opf": "<package/>"},
        {"OEBPS/book.opf": "<a>" * 1000},
        {"OEBPS/text/one.xhtml": None},
    ],
)
def test_a_book_that_lacks_something_is_broken(make: Make, changed: dict[str, str | None]) -> None:
    assert refused(make(changed)) == "broken"


def test_a_description_without_end_is_refused(make: Make) -> None:
    assert refused(make({"OEBPS/book.opf": f"<package>{'<item/>' * 150_000}</package>"})) == "too_large"


def test_a_book_without_words_is_empty(make: Make) -> None:
    nothing = "<html><body><img src='a.png'/></body></html>"
    assert refused(make({"OEBPS/text/one.xhtml": nothing, "OEBPS/text/two.xhtml": nothing})) == "empty"


def test_damage_is_broken(book: Path) -> None:
    whole = book.read_bytes()
    at = whole.index(b"OEBPS/text/two.xhtml") + len("OEBPS/text/two.xhtml") + 4
    book.write_bytes(whole[:at] + b"\xff" * 20 + whole[at + 20 :])
    assert refused(book) == "broken"
    book.write_bytes(whole[: len(whole) // 2])
    assert refused(book) == "broken"


def test_a_huge_table_of_files_is_refused_before_it_is_read(book: Path) -> None:
    whole = bytearray(book.read_bytes())
    end = whole.rindex(b"PK\x05\x06")
    struct.pack_into("<L", whole, end + 12, 50_000_000)
    book.write_bytes(whole)
    assert refused(book) == "too_large"


@pytest.mark.parametrize(
    "part",
    ["<!--", "<![CDATA[", "<", "</", "<a ", "&#", "<a b='", "<?", "<svg>", "<li>", "<td>", "<ul>", "</x>", "<pre>"],
)
def test_a_page_of_one_thing_over_and_over_takes_linear_time(part: str) -> None:
    # What else the machine does makes a ratio only worse: one good one tells.
    assert any(_spent(part * 48_000) < 6**1.5 * _spent(part * 8_000) for _ in range(5))


def _spent(page: str) -> float:
    begun = time.thread_time()
    to_markdown(page)
    return time.thread_time() - begun
