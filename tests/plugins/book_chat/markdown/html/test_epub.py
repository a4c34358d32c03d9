"""EPUBs: the book's own chapters, sections and pages, and files that must not be read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import Host
from ragstone.core.testing import FileReaderContract, open_host
from ragstone.plugins.book_chat import Shelf, UnreadableFile
from ragstone.web import create_app
from tests.plugins.book_chat.epubs import NAV, PACKAGE, PARTS, make_epub
from tests.plugins.book_chat.reading import kinds, places, read_file

TEXT = """\
# Robot parts

A cover

# 1. Grippers

A parallel gripper closes two jaws along one line. It holds 5 kg.

Jaws of rubber close softly.

# 2. Wheels

Wheels carry a robot.

## Casters

A caster is a wheel that swivels about a vertical axis. Its fork trails behind.

### Forks

Figure: A fork with its wheel and two bearings

Rubber tyres grip wet concrete.

Which tyre grips best?
"""
NCX = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>
  <navPoint><navLabel><text>Part One</text></navLabel><content src="text/grip.xhtml"/>
    <navPoint><navLabel><text>Holding</text></navLabel><content src="text/grip.xhtml"/></navPoint>
    <navPoint><navLabel><text>Rolling</text></navLabel><content src="text/wheels.xhtml"/>
      <navPoint><navLabel><text>Casters</text></navLabel><content src="text/wheels.xhtml#casters"/></navPoint>
    </navPoint></navPoint></navMap>
  <pageList><pageTarget value="7"><navLabel><text>7</text></navLabel><content src="text/grip.xhtml#p1"/></pageTarget>
  </pageList></ncx>"""
PROTECTED = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
  xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:CipherData>
  <enc:CipherReference URI="OEBPS/{}"/></enc:CipherData></enc:EncryptedData></encryption>"""


class TestReader(FileReaderContract):
    @pytest.fixture
    def reader(self, fast_host: Host) -> BaseReader:
        return fast_host.hooks.readers[".epub"]

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        return make_epub(tmp_path / "parts.epub")


def read(host: Host, tmp_path: Path, **changed: str | bytes | None) -> Document:
    return read_file(host, make_epub(tmp_path / "parts.epub", changed))


def headings(text: Document) -> list[str]:
    return [line for line in text.text.splitlines() if line.startswith("#")]


def test_a_book_is_read_under_its_own_table_of_contents(reading_host: Host, tmp_path: Path) -> None:
    found = read(reading_host, tmp_path)
    assert found.text == TEXT
    assert (found.metadata["title"], found.metadata["authors"]) == ("Robot parts", ["Ada Smith"])
    assert [(kind, text.strip()) for kind, text in kinds(found)] == [
        ("navigation", "A cover"),
        ("reference", "Jaws of rubber close softly."),
        ("caption", "Figure: A fork with its wheel and two bearings"),
        ("question", "Which tyre grips best?"),
    ]
    labels = {label: word for word, (_, label) in reversed(places(found))}
    assert labels == {"xi": "A", "12": "Wheels", "13": "Its"}


def test_a_table_of_contents_and_an_index_on_a_page_are_navigation(reading_host: Host, tmp_path: Path) -> None:
    """As Sphinx writes a book's front page and its index."""
    page = "<html><body><div class='{}'><ul><li>Wheels</li></ul></div></body></html>"
    for name in ("toctree-wrapper compound", "genindextable indextable"):
        found = read(reading_host, tmp_path, **{"OEBPS/text/grip.xhtml": page.format(name)})
        assert ("navigation", "- Wheels") in [(kind, text.strip()) for kind, text in kinds(found)]


def test_the_older_table_of_contents_has_parts_and_pages(reading_host: Host, tmp_path: Path) -> None:
    package = (
        PACKAGE.replace('properties="nav"', "").replace("nav.xhtml", "toc.ncx").replace("<spine>", '<spine toc="nav">')
    )
    parts = {"OEBPS/book.opf": package, "OEBPS/toc.ncx": NCX, "OEBPS/nav.xhtml": None}
    found = read(reading_host, tmp_path, **parts)
    assert headings(found)[1:6] == ["# Part One", "# Holding", "## Grippers", "# Rolling", "## Wheels"]
    assert {label for _, (_, label) in places(found)} == {"7", "13"}


def test_chapters_below_the_books_own_title_are_chapters(reading_host: Host, tmp_path: Path) -> None:
    chapters = "".join(f'<li><a href="text/{part}.xhtml">{part}</a></li>' for part in ("grip", "wheels"))
    nested = f'<ol><li><a href="text/grip.xhtml">Robot parts</a><ol>{chapters}</ol></li></ol>'
    nav = NAV[: NAV.index("<ol>")] + f"{nested}</nav></body></html>"
    found = headings(read(reading_host, tmp_path, **{"OEBPS/nav.xhtml": nav}))
    assert "# grip" in found and "# wheels" in found


def test_a_flat_table_of_contents_has_levels_by_its_numbers(reading_host: Host, tmp_path: Path) -> None:
    flat = "".join(
        f'<li><a href="text/{part}">{title}</a></li>'
        for part, title in (
            ("grip.xhtml", "1 Grippers"),
            ("wheels.xhtml", "2 Wheels"),
            ("wheels.xhtml#casters", "2.1 Casters"),
            ("more%20wheels.xhtml", "2.2 Tyres"),
            ("more%20wheels.xhtml#x", "2.3 Others"),
        )
    )
    nav = NAV[: NAV.index("<ol>")] + f"<ol>{flat}</ol></nav></body></html>"
    assert headings(read(reading_host, tmp_path, **{"OEBPS/nav.xhtml": nav})) == [
        "# Robot parts",
        "# 1 Grippers",
        "# 2 Wheels",
        "## 2.1 Casters",
        "### Forks",
        "## 2.2 Tyres",
        "## 2.3 Others",
    ]


def test_without_a_table_of_contents_the_pages_headings_count(reading_host: Host, tmp_path: Path) -> None:
    assert headings(read(reading_host, tmp_path, **{"OEBPS/nav.xhtml": None})) == [
        "## Chapter 1",
        "# Grippers",
        "# Wheels",
        "## Casters",
        "### Forks",
    ]


def test_a_page_that_is_no_xml_is_read_as_browsers_do(reading_host: Host, tmp_path: Path) -> None:
    page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body><p>Tom &amp; Ann<br>say<p>a < b"
    text = read(reading_host, tmp_path, **{"OEBPS/text/grip.xhtml": page}).text
    assert "Tom & Ann\nsay\n\na < b" in text


def test_citations_have_chapter_section_and_page(fast_host: Host, tmp_path: Path) -> None:
    shelf = Shelf(fast_host)
    report = shelf.add(shelf.plan(make_epub(tmp_path / "parts.epub")))
    assert (report.title, report.authors, report.left_out) == ("Robot parts", ["Ada Smith"], [])
    nodes = shelf.corpus.contents.document_nodes("robot-parts:parts.epub")
    places = {(node.metadata["chapter"], node.metadata["section"], node.metadata["page_label"]) for node in nodes}
    assert ("2. Wheels", "Casters", "12") in places
    assert ("2. Wheels", "Casters › Forks", "13") in places
    assert {node.metadata["page_index"] for node in nodes} == {None}
    assert not any("printed_pages" in node.metadata for node in nodes)


def test_uploads_take_an_epub_and_name_why_one_is_refused(fast_host: Host, tmp_path: Path) -> None:
    shelf = Shelf(fast_host)
    assert {".epub", ".docx", ".html", ".rst", ".adoc", ".txt"} <= shelf.suffixes
    with pytest.raises(UnreadableFile, match="encrypted: it is protected by Adobe ADEPT") as caught:
        shelf.add(shelf.plan(make_epub(tmp_path / "a.epub", _protected("text/grip.xhtml", "META-INF/rights.xml"))))
    assert caught.value.to_problem()["reason"] == "encrypted"


def _protected(part: str, *marks: str) -> dict[str, str | bytes | None]:
    return {"META-INF/encryption.xml": PROTECTED.format(part), **dict.fromkeys(marks, "<rights/>")}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (_protected("text/grip.xhtml"), "encrypted"),
        ({"META-INF/license.lcpl": "{}"}, "encrypted"),
        ({"META-INF/container.xml": None}, "broken"),
        ({"META-INF/container.xml": "<container/>"}, "broken"),
        ({"META-INF/container.xml": "<container>"}, "broken"),
        ({"META-INF/container.xml": '<!DOCTYPE a [<!ENTITY b "b">]><container/>'}, "broken"),
        ({"OEBPS/book.opf": None}, "broken"),
        ({"OEBPS/book.opf": PACKAGE.replace("text/", "../../etc/").replace('<itemref idref="nav"/>', "")}, "broken"),
        ({"OEBPS/book.opf": "<package>" + "<a>" * 400}, "broken"),
        ({name: "<html><body><p></p></body></html>" for name in PARTS if "text/" in name}, "empty"),
    ],
)
def test_what_is_refused(
    reading_host: Host, tmp_path: Path, changed: dict[str, str | bytes | None], reason: str
) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(reading_host, tmp_path, **changed)
    assert caught.value.reason == reason


def test_obfuscated_fonts_do_no_harm(reading_host: Host, tmp_path: Path) -> None:
    assert read(reading_host, tmp_path, **_protected("font.otf")).text == TEXT


def test_entities_of_a_page_name_no_file(reading_host: Host, tmp_path: Path) -> None:
    page = '<!DOCTYPE html [<!ENTITY b SYSTEM "file:///etc/passwd">]><html xmlns="http://www.w3.org/1999/xhtml"><body>'
    text = read(reading_host, tmp_path, **{"OEBPS/text/grip.xhtml": f"{page}<p>x &b; y</p></body></html>"}).text
    assert "root:" not in text
    assert "x" in text


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and nothing else", b"%PDF-1.7"])
def test_what_is_no_archive_is_one_line(fast_host: Host, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.epub").write_bytes(data)
    with pytest.raises(UnreadableFile, match="broken: it is no archive"):
        fast_host.hooks.readers[".epub"].load_data(tmp_path / "a.epub")


def test_a_part_that_unpacks_to_much_is_refused(reading_host: Host, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="unpacks its part"):
        read(reading_host, tmp_path, **{"OEBPS/text/grip.xhtml": b"<p>" + b"a" * 30_000_000})


@pytest.mark.parametrize("part", ["<a ", "&#", "<!--", "<td>", "<span id='a'/>"])
def test_a_page_of_one_thing_over_and_over_ends(reading_host: Host, tmp_path: Path, part: str) -> None:
    assert "Casters" in read(reading_host, tmp_path, **{"OEBPS/text/grip.xhtml": f"<html><body>{part * 20_000}"}).text


@pytest.mark.parametrize("part", ["<div>", "<ul><li>", "<blockquote>", "<b>"])
def test_a_page_of_too_many_levels_is_refused(reading_host: Host, tmp_path: Path, part: str) -> None:
    with pytest.raises(UnreadableFile, match="2,048 levels"):
        read(reading_host, tmp_path, **{"OEBPS/text/grip.xhtml": f"<html><body>{part * 20_000}"})


def test_links_of_the_contents_that_lead_nowhere_are_passed_over(reading_host: Host, tmp_path: Path) -> None:
    nav = NAV.replace("text/grip.xhtml", "http://[x").replace("#casters", "#none")
    assert headings(read(reading_host, tmp_path, **{"OEBPS/nav.xhtml": nav}))[:1] == ["# Robot parts"]


def test_an_epub_is_taken_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "a key of enough characters"
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", key)
    content = make_epub(tmp_path / "parts.epub").read_bytes()
    with open_host(tmp_path, options={"book_chat": {"sample": False}}) as host:
        client, held = create_app(host).test_client(), {"Authorization": f"Bearer {key}"}
        given = {"file": (io.BytesIO(content), "parts.epub")}
        job = client.post("/api/books", data=given, headers=held).get_json()["job"]["id"]
        told = client.get(f"/api/books/jobs/{job}/events", headers=held).get_data(as_text=True)
        assert "event: done" in told
        (book,) = client.get("/api/books", headers=held).get_json()["books"]
        assert (book["title"], book["chapters"]) == ("Robot parts", 3)
        answer = host.assistant("book_chat").ask("What is a caster?")
        assert answer.text.startswith("A caster is a wheel that swivels about a vertical axis.")
        page = client.get(f"/book_chat/source/{answer.citations[0].chunk_id}").get_data(as_text=True)
    assert "Casters" in page
    assert ">12<" in page or "p. 12" in page or "Page 12" in page
