"""Scanned pages: read by OCR where the settings say so, marked as such, and named where tesseract is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import PdfReader, Shelf, UnreadablePdf
from ragstone.plugins.book_chat.pdf import ocr
from ragstone.plugins.book_chat.pdf.tesseract import words_of
from ragstone.web import create_app
from tests.plugins.book_chat.pdfs import lines, make, scanned
from tests.support.needs import missing, needed

needed("pypdfium2")

HEAD = "level\tblock_num\tpar_num\tline_num\tleft\ttop\twidth\theight\tconf\ttext\n"


def test_words_of_a_line_stand_on_it_and_specks_are_none() -> None:
    rows = [
        (1, 1, 1, 300, 300, 90, 40, 96, "2.1"),
        (1, 1, 1, 400, 302, 200, 36, 95, "Casters"),
        (2, 1, 1, 300, 400, 30, 30, 90, "a"),
        (2, 1, 1, 340, 398, 90, 42, 90, "wheel"),
        (2, 1, 2, 300, 450, 90, 42, 12, "blur"),
        (2, 1, 2, 400, 450, 90, 42, 90, "rolls"),
        (3, 1, 1, 300, 600, 9, 9, 40, "~"),
    ]
    found = words_of(HEAD + "".join("5\t" + "\t".join(map(str, row)) + "\n" for row in rows) + "broken\n", 4.0)
    assert [(word.text, word.bold) for word in found] == [
        ("2.1", True),
        ("Casters", True),
        ("a", False),
        ("wheel", False),
        ("rolls", False),
    ]
    assert found[2].bottom == found[3].bottom
    assert found[0].x0 == pytest.approx(75)
    assert words_of("", 4.0) == []


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages, the second without a text layer."""
    text = lines(
        72,
        700,
        "A parallel gripper closes two jaws along one straight line",
        "and holds the part by friction between rubber pads.",
        size=14,
        step=20,
    )
    path = tmp_path_factory.mktemp("scan") / "scan.pdf"
    path.write_bytes(scanned(make([text])))
    return path


def test_a_scan_is_refused_with_what_to_do(scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadablePdf, match=r"needs_ocr: no page has text \(1 page\)") as caught:
        PdfReader().load_data(scan)
    assert "ocr of [plugins.book_chat]" in str(caught.value.hint)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(UnreadablePdf, match="tesseract, which would read them, is not installed"):
        PdfReader(ocr=ocr.Ocr(["eng"], tmp_path)).load_data(scan)


def test_health_says_that_tesseract_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with open_host(tmp_path, options={"book_chat": {"sample": False, "ocr": ["eng"]}}) as host:
        (check,) = [check for check in host.checks() if check.name == "ocr"]
    assert not check.ok
    assert "apt install tesseract-ocr" in str(check.mend)


def test_a_scan_is_read_marked_and_not_read_again(scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("tesseract") is None:
        missing("tesseract")
    options = {"book_chat": {"sample": False, "ocr": ["eng"], "serve_pdf": ["*"]}}
    with open_host(tmp_path, options=options) as host:
        shelf = Shelf(host)
        report = shelf.add(shelf.plan(scan), title="Grippers")
        assert (report.ocr_pages, report.needs_ocr) == ({"scan.pdf": [1]}, {})
        answer = host.assistant("book_chat").ask("What does a parallel gripper close?")
        assert answer.text.startswith("A parallel gripper closes two jaws along one straight line and holds the part")
        (citation,) = answer.citations
        assert citation.to_dict()["is_ocr"] is True
        assert (citation.fields["page_label"], citation.place.tags) == ("1", ("read by OCR",))
        client = create_app(host).test_client()
        marked, chunk = (
            client.get(f"/book_chat/page/{citation.chunk_id}.png", query_string={"quote": quote}).data
            for quote in ("closes two jaws", "")
        )
        assert marked.startswith(b"\x89PNG")
        assert marked != chunk, "the quote is marked by the words of OCR"
        monkeypatch.setattr(ocr, "PdfProcess", None)
        assert shelf.add(shelf.plan(scan), title="Grippers").unchanged == ["scan.pdf"]


@pytest.mark.parametrize("times", [1, 4])
def test_words_of_a_large_page_are_where_they_stand(tmp_path: Path, times: int) -> None:
    if shutil.which("tesseract") is None:
        missing("tesseract")
    path = tmp_path / "scan.pdf"
    path.write_bytes(scanned(make([lines(72, 700, "A parallel gripper closes two jaws.", size=14)]), times=times))
    with path.open("rb") as file:
        first, *_ = ocr.Ocr(["eng"], tmp_path).words(path, file, "", [1])[1]
    assert first.x0 == pytest.approx(72 * times, abs=2 * times)
    assert first.bottom == pytest.approx((792 - 700) * times, abs=4 * times)
