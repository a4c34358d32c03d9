"""PDFs that would hang, fill the memory or lie: each ends in one word, and the parent goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragstone.core import SourceError
from ragstone.core.runtime import Unanswered
from ragstone.plugins.book_chat import PdfReader, UnreadablePdf
from ragstone.plugins.book_chat.pdf import process
from ragstone.plugins.book_chat.pdf.limits import memory_for, seconds_for
from tests.plugins.book_chat import pdfs
from tests.plugins.book_chat.pdfs import Text, lines, make
from tests.support.needs import needed

needed("pypdfium2")

PAGE = make([[*lines(72, 700, "Words of a page.")]])
PICTURE = make([["200 200 300 300 re f"], ["100 100 300 300 re f"]])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdfs.bomb(), "too_large"),
        (pdfs.double_bomb(), "too_large"),
        (pdfs.claims_pages(100_000), "too_large"),
        (pdfs.claims_pages(5_000), "broken"),
        (pdfs.page_tree_cycle(), "broken"),
        (pdfs.encrypted(), "encrypted"),
        (PAGE[: len(PAGE) // 2], "broken"),
        (b"%PDF-1.7\n", "broken"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "broken"),
        (b"", "broken"),
        (PICTURE, "needs_ocr"),
    ],
    ids=["bomb", "double", "many", "claims", "cycle", "encrypted", "half", "head", "png", "empty", "scan"],
)
def test_one_word_says_why(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "hostile.pdf"
    path.write_bytes(data)
    with pytest.raises(UnreadablePdf, match=reason) as caught:
        PdfReader().load_data(path)
    assert (caught.value.reason, caught.value.where) == (reason, str(path))
    assert not caught.value.what.endswith(".")  # the hint follows in brackets
    assert isinstance(caught.value, SourceError)


@pytest.mark.parametrize("data", [pdfs.outline_cycle(), pdfs.claims_pages(10**9), pdfs.claims_pages(-3)])
def test_what_can_be_read_is_read(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.pdf"
    path.write_bytes(data)
    (document,) = PdfReader().load_data(path)
    assert document.text.count("page") + document.text.count("Words") == 1


def test_a_page_without_text_is_named_and_a_blank_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "mixed.pdf"
    path.write_bytes(make([[Text(72, 700, "Words.")], ["200 200 300 300 re f"], [], [Text(72, 700, "More words.")]]))
    (document,) = PdfReader().load_data(path)
    assert document.metadata["pdf"]["needs_ocr"] == [2]


def test_files_that_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    with pytest.raises(SourceError, match="not a file"):
        PdfReader().load_data(tmp_path / "pipe.pdf")
    with pytest.raises(SourceError, match="No such file"):
        PdfReader().load_data(tmp_path / "gone.pdf")


def test_without_the_extra_the_install_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.plugins.book_chat.readers.find_spec", lambda name: None)
    with pytest.raises(SourceError, match=r"pip install 'ragstone\[pdf\]'"):
        PdfReader().load_data(tmp_path / "any.pdf")


def _in_the_workers_place(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    real = subprocess.Popen

    def start(command: list[str], **options: object) -> object:
        return real([sys.executable, "-c", program], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", start)


def _read(path: Path, seconds: float = 60) -> process.Read:
    path.write_bytes(PAGE)
    with path.open("rb") as file, process.PdfProcess(path, file, seconds=seconds, megabytes=512) as opened:
        return opened.read()


#: A worker that answers as it should, but for what is put in the place of FIRST and SECOND.
WORKER = """
import json, os, signal, time
from ragstone.core.runtime import answer_requests
BOOK = dict(title="", text="", pages=1, labels=[], starts=[], needs_ocr=[], broken=[], ocr=[])
def answer(request):
    return json.dumps({"result": FIRST if json.loads(request)["task"] == "count" else SECOND}).encode()
answer_requests(answer)
"""


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("time.sleep(600)", "BOOK", "timeout"),
        ("1", "time.sleep(600)", "timeout"),
        ("1", "BOOK | dict(text='x' * 3_000_000)", "too_large"),
        ("1", "'x' * 210_000_000", "crashed"),
        ("1", "[]", "crashed"),
        ("'nonsense'", "BOOK", "crashed"),
        ("os._exit(3)", "BOOK", "crashed"),
        ("1", "os.abort()", "too_large"),
        ("1", "os.kill(os.getpid(), signal.SIGBUS)", "crashed"),
    ],
)
def test_a_worker_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, first: str, second: str, reason: str
) -> None:
    _in_the_workers_place(monkeypatch, WORKER.replace("FIRST", first).replace("SECOND", second))
    with pytest.raises(Unanswered) as caught:
        _read(tmp_path / "a.pdf", 3 if reason == "timeout" else 60)
    assert caught.value.reason == reason


def test_a_worker_that_hangs_is_dead_afterwards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    note = tmp_path / "pids"
    program = f"import os, time; open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{os.fork()}}'); time.sleep(600)"
    _in_the_workers_place(monkeypatch, program)
    with pytest.raises(Unanswered, match="timeout"):
        _read(tmp_path / "a.pdf", 3)
    for pid in filter(lambda p: p != "0", note.read_text().split()):
        for _ in range(200):  # an orphan is reaped by init, a little later
            if not Path(f"/proc/{pid}").exists() or _is_zombie(pid):
                break
            time.sleep(0.05)
        else:
            pytest.fail(f"process {pid} lives")


def _is_zombie(pid: str) -> bool:
    try:
        return ") Z" in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def test_the_worker_gets_nothing_that_it_need_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    given = "BOOK | dict(text=' '.join([*sorted(os.environ), *os.listdir('/proc/self/fd')]))"
    _in_the_workers_place(monkeypatch, WORKER.replace("FIRST", "1").replace("SECOND", given))
    with (tmp_path / "other").open("wb"):
        output = _read(tmp_path / "a.pdf").text.split()
    assert "OPENAI_API_KEY" not in output
    assert {name for name in output if name.isdigit()} <= {"0", "1", "2", "3"}  # 3 is the listing itself


def test_another_file_in_its_place_is_not_read(tmp_path: Path) -> None:
    path, other = tmp_path / "a.pdf", tmp_path / "b.pdf"
    path.write_bytes(PAGE)
    other.write_bytes(PAGE)
    with path.open("rb") as file, process.PdfProcess(path, file, seconds=60, megabytes=512) as opened:
        assert opened.read().pages == 1
        other.replace(path)
        with pytest.raises(Unanswered, match="was replaced"):
            opened.read()


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ["1", "2"]},
        {"starts": [[1, 99]]},
        {"starts": [[2, 0], [1, 1]]},
        {"starts": [[1, 3], [2, 1]]},
        {"needs_ocr": [0]},
        {"pages": "1"},
        {"title": "x" * 400},
        {"more": 1},
    ],
)
def test_what_the_worker_answers_is_checked(change: dict[str, object]) -> None:
    output = {"title": "", "text": "text", "pages": 1, "labels": [], "starts": [[1, 0]]}
    output |= {"needs_ocr": [], "broken": [], "ocr": []}
    process.READ.validate_python(output)
    with pytest.raises(ValueError, match="validation error"):
        process.READ.validate_python(output | change)


def test_longer_books_may_take_more_but_not_without_end() -> None:
    assert (seconds_for(1, 30), seconds_for(600, 30)) == (30, 60)
    assert seconds_for(10**9, 30) == seconds_for(10**8, 30)
    assert (memory_for(1, 512), memory_for(2_000, 512)) == (512_000_000, 1_024_000_000)
    assert memory_for(10**9, 512) == 4 * 512_000_000
