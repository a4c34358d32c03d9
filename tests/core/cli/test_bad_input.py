"""Whatever comes in: one clear line, an exit code that is not 0, and what was there before is still there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from faults.disks import small_disk
from ragstone.core import BadRequest, Host, NotFound, Question, SourceError, TooLarge
from ragstone.core.answering import find_chunks
from ragstone.core.retrieval import HybridRetriever
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import Ended, Here, add_book, run, write_pages

QUESTION = "What is a caster wheel?"
ANSWER = "A caster is a wheel that swivels about a vertical axis. [1]"


@pytest.fixture
def shelf(with_book: Here) -> Iterator[Here]:
    """The command with a book on the shelf, which is still there, whole, when the test is over."""
    yield with_book
    assert still_there(with_book)


def still_there(here: Here) -> bool:
    listed = json.loads(here("book", "list", "--json").out)
    return "robot-parts" in {book["slug"] for book in listed} and here("ask", "book_chat", QUESTION).out.startswith(
        ANSWER
    )


def failed(done: Ended, code: int, message: str) -> None:
    assert done.code == code
    assert message in done.line
    assert done.out == ""


# Questions


ASK = ("ask", "book_chat")
#: Arguments of a command, its exit code, and what its one line says.
WRONG: list[tuple[tuple[str, ...], int, str]] = [
    (("ask", "wiki", QUESTION), 2, "no assistant 'wiki' (known: book_chat, concept_tutor, memory, wiki_edge)"),
    ((*ASK, QUESTION, "--book", "wiki"), 2, "there is no book 'wiki' (there are: robot-parts)"),
    (("book", "remove", "wiki"), 2, "there is no book 'wiki'"),
    (("book", "add", "nowhere"), 1, "nowhere: does not exist"),
    *(((*ASK, question), 2, "the question is empty") for question in ("", " ", "\n\t")),
    ((*ASK, "x" * 100_000), 2, "the question has 100,000 characters; 4,000 are allowed"),
    ((*ASK, "a\x00b"), 2, "the question holds a NUL character"),
    ((*ASK, "a\udcff"), 2, "the question is not valid Unicode"),
]


def test_what_is_asked_wrongly(shelf: Here) -> None:
    for arguments, code, message in WRONG:
        failed(shelf(*arguments), code, message)


def test_bytes_that_are_no_text_from_a_shell(site: Path, shelf: Here) -> None:
    failed(run("ask", "book_chat", os.fsdecode(b"caf\xe9?"), site=site), 2, "the question is not valid Unicode")


@pytest.mark.parametrize(
    "question",
    ["?", "!!!", "NEAR(a b)", '"', "a OR b AND NOT c", "headings:x*", "'; DROP TABLE chunk; --", "日本語", "🤖" * 1000],
)
def test_a_strange_question_is_only_a_question(shelf: Here, question: str) -> None:
    done = shelf("ask", "book_chat", question, "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["refused"]


def test_the_python_interface_raises_the_same(fast_host: Host, small_book: Path) -> None:
    add_book(fast_host, small_book)
    assistant = fast_host.assistant("book_chat")
    with pytest.raises(BadRequest, match="the question is empty"):
        assistant.ask(" ")
    with pytest.raises(TooLarge):
        assistant.ask("x" * 100_000)
    with pytest.raises(TooLarge, match="the selection has 30,000 characters; 20,000 are allowed"):
        assistant.ask(Question(QUESTION, selection="x" * 30_000))
    with pytest.raises(BadRequest, match="top_k must be from 1 to 50, not 51"):
        assistant.ask(Question(QUESTION, top_k=51))
    for top_k in (-3, 0, 51):
        for entrance in (assistant.ask, assistant.retrieve_for, partial(find_chunks, assistant)):
            with pytest.raises(BadRequest, match=f"top_k must be from 1 to 50, not {top_k}"):
                entrance(Question(QUESTION, top_k=top_k))
    with pytest.raises(BadRequest, match="top_k must be 1 or more, not -3"):
        fast_host.pipeline.retrieve(assistant.corpus, QUESTION, top_k=-3)
    with pytest.raises(BadRequest, match="top_k must be 1 or more, not -3"):
        HybridRetriever(assistant.corpus, top_k=-3)
    with pytest.raises(BadRequest, match="top_k must be a whole number"):
        assistant.ask(Question(QUESTION, top_k="5"))  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="the question must be a string, not NoneType"):
        assistant.ask(None)  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="an earlier turn must be a Turn, not str"):
        assistant.ask(Question(QUESTION, history=["What is a caster?"]))  # type: ignore[list-item]
    with pytest.raises(NotFound):
        assistant.ask(Question(QUESTION, filters={"book": "wiki"}))
    with pytest.raises(BadRequest, match="there is no filter 'chapter'"):
        assistant.ask(Question(QUESTION, filters={"chapter": "1"}))
    assert assistant.ask(QUESTION).text.startswith(ANSWER)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "the body must be a JSON object"),
        (None, "the body must be a JSON object"),
        ({}, "question is missing"),
        ({"question": 3}, "question must be a string"),
        ({"question": None}, "question must be a string"),
        ({"question": "a", "top_k": "3"}, "top_k must be a whole number"),
        ({"question": "a", "top_k": True}, "top_k must be a whole number"),
        ({"question": "a", "book": ["b"]}, "book must be a string"),
        ({"question": "a", "bok": "b"}, "unknown key 'bok'"),
        ({"question": "a", "selection": "b"}, "unknown key 'selection'"),
    ],
)
def test_decoded_json(body: object, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        Question.from_json(body, filters={"book"})


def test_a_selection_that_is_asked_for_must_be_there() -> None:
    with pytest.raises(BadRequest, match="selection is missing"):
        Question.from_json({"question": "a"}, filters=(), selection=True)
    body = {"question": "a", "selection": "b", "top_k": 2, "book": "c"}
    expected = Question("a", selection="b", top_k=2, filters={"book": "c"})
    assert Question.from_json(body, filters=("book",), selection=True) == expected


# Sources


def test_a_folder_without_markdown(shelf: Here, tmp_path: Path) -> None:
    empty = write_pages(tmp_path / "other", {"a.csv": "1,2"})
    failed(
        shelf("book", "add", str(empty)),
        1,
        "holds no file that can be read (these can be read: .adoc, .asciidoc, .docx, .epub, .htm, .html,",
    )


def test_a_file_that_has_no_reader(shelf: Here, tmp_path: Path) -> None:
    (tmp_path / "a.odt").write_bytes(b"PK")
    failed(shelf("book", "add", str(tmp_path / "a.odt")), 1, "has no reader for .odt")


UNREADABLE = {
    "not-utf-8.md": b"# Caf\xe9\n",
    "not-text.md": b"# A\x00B\n",
    "utf-16.md": "# A title\n".encode("utf-16"),
}


def test_a_file_whose_name_is_no_text(shelf: Here, tmp_path: Path) -> None:
    for name in (b"caf\xe9.md", b"d\xe9/book.pdf"):
        path = tmp_path / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"# A title\n")
        done = shelf("book", "add", str(path))
        assert (done.code, "is not UTF-8" in done.line) == (1, True)


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_is_no_text(name: str, shelf: Here, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(UNREADABLE[name])
    done = shelf("book", "add", str(tmp_path / name))
    assert done.code == 1
    assert "is not UTF-8" in done.line or "is not text" in done.line


def test_what_cannot_be_read_is_left_out_and_named(shelf: Here, small_book: Path) -> None:
    for name, content in UNREADABLE.items():
        (small_book / name).write_bytes(content)
    (small_book / "folder.md").mkdir()
    (small_book / "dangling.md").symlink_to(small_book / "nowhere.md")
    (small_book / "outside.md").symlink_to("/etc/hostname")
    os.mkfifo(small_book / "pipe.md")
    (small_book / os.fsdecode(b"caf\xe9.md")).write_text("# A title\n", "utf-8")
    done = shelf("book", "add", str(small_book), "--title", "Robot parts", "--json")
    assert (done.code, done.err) == (0, "")
    report = json.loads(done.out)
    assert report["unchanged"] == ["01-wheels.md", "02-arms.md"]
    assert report["removed"] == []
    reasons = {left["relative"]: left["reason"] for left in report["left_out"]}
    assert reasons.keys() == {*UNREADABLE, "dangling.md", "outside.md", "pipe.md", r"caf\xe9.md"}
    assert all(reasons.values())


def test_a_file_without_permission(shelf: Here, small_book: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (small_book / "secret.md").write_text("# Secret\n", "utf-8")
    (small_book / "secret.md").chmod(0)
    report = json.loads(shelf("book", "add", str(small_book), "--title", "Robot parts", "--json").out)
    assert [left["relative"] for left in report["left_out"]] == ["secret.md"]


def test_a_pipe_is_no_book(site: Path, shelf: Here, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert run("book", "add", str(tmp_path / "pipe.md"), site=site, timeout=60).code == 1


def test_a_book_that_turned_unreadable_keeps_what_was_stored(shelf: Here, small_book: Path) -> None:
    for file in small_book.iterdir():
        file.write_bytes(b"\xff\xff")
    failed(shelf("book", "add", str(small_book), "--title", "Robot parts"), 1, "no file of the book could be read")


def test_one_file_that_turned_unreadable_keeps_what_was_stored(shelf: Here, small_book: Path) -> None:
    (small_book / "01-wheels.md").write_bytes(b"\xff\xff")
    report = json.loads(shelf("book", "add", str(small_book), "--title", "Robot parts", "--json").out)
    assert (report["unchanged"], report["removed"]) == (["02-arms.md"], [])
    assert [left["relative"] for left in report["left_out"]] == ["01-wheels.md"]


def test_a_file_that_vanishes_while_the_book_is_read(fast_host: Host, small_book: Path) -> None:
    (small_book / "03-eyes.md").write_text("# Eyes\n\nA stereo camera sees depth.\n", "utf-8")
    books = Shelf(fast_host)
    layout = books.plan(small_book)
    (small_book / "03-eyes.md").unlink()
    report = books.add(layout, title="Robot parts")
    assert report.added == ["01-wheels.md", "02-arms.md"]
    assert [(left.relative, left.reason) for left in report.left_out] == [
        ("03-eyes.md", "cannot be read: No such file or directory")
    ]


def test_a_folder_that_vanishes_while_the_book_is_read(fast_host: Host, small_book: Path) -> None:
    books = add_book(fast_host, small_book)
    layout = books.plan(small_book)
    shutil.rmtree(small_book)
    with pytest.raises(SourceError, match="no file of the book could be read"):
        books.add(layout, title="Robot parts")
    assert fast_host.assistant("book_chat").ask(QUESTION).text.startswith(ANSWER)


@pytest.mark.parametrize("option", ["--title", "--edition"])
def test_a_title_or_edition_that_is_none(option: str, shelf: Here, small_book: Path) -> None:
    for words in ("x" * 300, "a\x1bb", "\u202eabc"):
        done = shelf("book", "add", str(small_book), option, words)
        assert done.code == 2
        assert "printable characters" in done.err
        assert "Traceback" not in done.err


def test_a_book_of_nothing(shelf: Here, tmp_path: Path) -> None:
    empty = write_pages(tmp_path / "empty", {"a.md": "", "b.md": "\n\n<!-- nothing -->\n"})
    done = shelf("book", "add", str(empty), "--title", "Empty")
    assert done.code == 1 or "empty" in {book["slug"] for book in json.loads(shelf("book", "list", "--json").out)}


# Settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"datadir = 1", "unknown key datadir (did you mean data_dir?)"),
        (b"[retrieval]\nthreshold = 'high'", "retrieval.threshold: "),
        (b"[plugins.book_chat]\ntop_k = 0", "[plugins.book_chat]: top_k: "),
        (b"plugins = [", "is not valid TOML"),
        (b"\xff", "is not UTF-8 at byte 0"),
    ],
)
@pytest.mark.parametrize("command", [("plugins",), ("ask", "book_chat", QUESTION), ("book", "list")], ids=" ".join)
def test_wrong_settings(command: tuple[str, ...], text: bytes, message: str, shelf: Here, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_bytes(text)
    failed(shelf("--config", str(path), *command), 2, message)


def test_an_encoder_that_is_not_there(small_book: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGSTONE_ENCODER__FOLDER", str(tmp_path / "nowhere"))
    failed(run("book", "add", str(small_book)), 1, "no readable model.safetensors there")


@pytest.mark.parametrize("url", ["nonsense", "postgresql://127.0.0.1:1/x", "oracle+nothing://x"])
def test_a_database_that_cannot_be_used(url: str, shelf: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("RAGSTONE_DATABASE", url)
        done = shelf("book", "list")
        assert done.code != 0
        assert done.err.startswith("ragstone: ")


# The data folder


def test_a_data_folder_below_a_file(
    here: Here, small_book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("precious", "utf-8")
    for place in ("file", "file/data"):
        monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / place))
        failed(here("book", "add", str(small_book)), 1, "the data folder cannot be used: ")
        failed(here("ask", "book_chat", QUESTION), 1, "set RAGSTONE_DATA_DIR")
    assert (tmp_path / "file").read_text("utf-8") == "precious"


def test_a_folder_in_the_databases_place(here: Here, tmp_path: Path) -> None:
    (tmp_path / "data" / "catalog.sqlite").mkdir(parents=True)
    failed(here("book", "list"), 1, "the database cannot be opened or written")


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of 2 MB with the data folder on it."""
    with small_disk(tmp_path / "disk", 2) as small:
        monkeypatch.setenv("RAGSTONE_DATA_DIR", str(small.folder / "data"))
        yield small.folder


def large_book(folder: Path) -> Path:
    """More than fits on the disk."""
    part = "\n## Part {0}-{1}\n\nTyre {0}-{1} is of rubber, " + "and round " * 30 + ".\n"
    return write_pages(
        folder,
        {
            f"{chapter:02}.md": f"# Chapter {chapter}\n" + "".join(part.format(chapter, number) for number in range(20))
            for chapter in range(40)
        },
    )


def test_a_full_disk(disk: Path, shelf: Here, tmp_path: Path) -> None:
    book = large_book(tmp_path / "large")
    failed(shelf("book", "add", str(book), "--title", "Large"), 1, "no space is left on the disk (make space and try")
    assert still_there(shelf)  # full as it is
    with pytest.raises(OSError, match="No space"), (disk / "filler").open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    failed(shelf("book", "add", str(book), "--title", "Large"), 1, "no space is left on the disk")
    (disk / "filler").unlink(missing_ok=True)
    assert still_there(shelf)
    # What had been stored before the disk was full is whole.
    assert shelf("corpus", "check").code == 0
    # With more space the same command goes on where it was.
    subprocess.run(["mount", "-o", "remount,size=40m", str(disk)], check=True)
    done = shelf("book", "add", str(book), "--title", "Large", "--json")
    assert done.code == 0
    report = json.loads(done.out)
    assert len(report["added"]) + len(report["unchanged"]) == 40


def test_a_disk_that_cannot_be_written(disk: Path, shelf: Here, small_book: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    (small_book / "03-eyes.md").write_text("# Eyes\n\nA stereo camera sees depth.\n", "utf-8")
    try:
        failed(shelf("book", "add", str(small_book), "--title", "Robot parts"), 1, "cannot be opened or written")
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


def test_a_first_start_on_a_disk_that_cannot_be_written(
    disk: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    failed(here("book", "list"), 1, "the data folder cannot be used: Read-only file system")


# The database


@pytest.mark.parametrize("damage", ["begins with other bytes", "was cut off", "is torn in the middle", "is empty text"])
def test_a_damaged_database(damage: str, here: Here, small_book: Path, tmp_path: Path) -> None:
    here("book", "add", str(small_book))
    path = tmp_path / "data" / "catalog.sqlite"
    content = path.read_bytes()
    spoilt = {
        "begins with other bytes": b"#" * 100 + content[100:],
        "was cut off": content[: len(content) // 2],
        "is torn in the middle": content[:4096] + b"\xa5" * (len(content) - 4096),
        "is empty text": b"not a database at all\n" * 100,
    }[damage]
    path.write_bytes(spoilt)
    for command in (("book", "list"), ("ask", "book_chat", QUESTION), ("book", "add", str(small_book))):
        failed(here(*command), 1, "is not a readable database")
    assert path.read_bytes() == spoilt  # nothing is thrown away
    path.write_bytes(content)
    assert here("ask", "book_chat", QUESTION).out.startswith(ANSWER)
