"""The contract of readers: a good one passes, and for every clause there is one that breaks it."""

from __future__ import annotations

import stat
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import SourceError
from ragstone.core.testing import FileReaderContract, ReaderContract
from tests.core.testing.breaking import OneThread, breaks, clauses

Load = Callable[[Path, dict[str, Any]], Any]


def load(file: Path, extra_info: dict[str, Any]) -> list[Document]:
    """A reader of a text file that raises the right errors."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise SourceError("is no file", where=str(file))
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read: {error}", where=str(file)) from error
    if "\0" in text:
        raise SourceError("is binary", where=str(file))
    return [Document(text=text, metadata={"title": file.stem, **extra_info})]


class Reads(BaseReader):
    def __init__(self, load: Load) -> None:
        self._load = load

    def load_data(self, file: Path, extra_info: dict[str, Any] | None = None) -> Any:
        return self._load(file, extra_info or {})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "wheels.txt"
    file.write_text("A caster swivels. Größe: 40 mm. A tyre of rubber grips.", "utf-8")
    return file


class TestAGoodReader(FileReaderContract):
    @pytest.fixture
    def reader(self) -> BaseReader:
        return Reads(load)


class TestAReaderOfAScheme(ReaderContract):
    """One whose sources are no files."""

    @pytest.fixture
    def reader(self) -> BaseReader:
        def words(address: Any, extra_info: dict[str, Any]) -> list[Document]:
            if address != "shelf:wheels":
                raise SourceError("there is no such page", where=address)
            return [Document(text="A caster swivels.", metadata=extra_info)]

        return Reads(words)

    @pytest.fixture
    def source(self) -> str:
        return "shelf:wheels"


def gives(text: str = "words", **metadata: Any) -> Load:
    return lambda file, extra: (
        [Document(text=text, metadata={**metadata, **extra})] if file.exists() else load(file, {})
    )


def twice_different() -> Load:
    number = count()

    def read(file: Path, extra: dict[str, Any]) -> list[Document]:
        return [Document(text="words", metadata={"number": next(number)})]

    return read


def in_one_thread() -> Load:
    one = OneThread()

    def read(file: Path, extra: dict[str, Any]) -> list[Document]:
        one.check()
        return load(file, extra)

    return read


def bare(file: Path, extra: dict[str, Any]) -> list[Document]:
    """Errors as they come."""
    return [Document(text=file.read_text("utf-8"), metadata=extra)]


def undecoded(file: Path, extra: dict[str, Any]) -> list[Document]:
    data = file.read_bytes()
    if b"\0" in data:
        raise SourceError("is binary", where=str(file))
    return [Document(text=data.decode("utf-8"), metadata=extra)]


def skips(file: Path, extra: dict[str, Any]) -> list[Document]:
    """A reader that raises no errors."""
    try:
        return load(file, extra)
    except SourceError:
        return []


def waits(file: Path, extra: dict[str, Any]) -> list[Document]:
    if not file.is_dir() and file.exists():
        file.read_bytes()
    return load(file, extra)


def writes(file: Path, extra: dict[str, Any]) -> list[Document]:
    found = load(file, extra)
    with file.open("a") as opened:
        opened.write(" read")
    return found


def through(file: Path, extra: dict[str, Any]) -> list[Document]:
    """Gives on what a database does not take."""
    return [Document(text=file.read_bytes().decode("utf-8", "surrogateescape"), metadata=extra)]


BROKEN: list[tuple[str, Load | None, str]] = [
    ("test_it_is_a_reader", None, "it is a object, not a BaseReader of LlamaIndex"),
    ("test_it_gives_documents_with_words", lambda file, extra: [], "it gives no document"),
    ("test_it_gives_documents_with_words", gives(" \n"), "it gives a document without words"),
    ("test_it_gives_documents_with_words", lambda file, extra: "words", "it gives a str, not a list of documents"),
    ("test_it_gives_documents_with_words", lambda file, extra: ["words"], "it gives a str among its documents"),
    ("test_it_gives_documents_with_words", lambda file, extra: 1 / 0, "raised ZeroDivisionError: division by zero"),
    ("test_what_it_gives_can_be_stored", gives("a\0b"), "a document's words hold a NUL character"),
    ("test_what_it_gives_can_be_stored", gives(by=["a\ud800"]), "a document's metadata 'by' hold half of a character"),
    ("test_what_it_gives_can_be_stored", gives(by={"a\0": 1}), "a document's metadata 'by' hold a NUL character"),
    ("test_what_it_gives_can_be_stored", gives(at=datetime.now(UTC)), "metadata 'at' cannot be written as JSON"),
    ("test_what_it_gives_can_be_stored", gives(size=float("nan")), "metadata 'size' cannot be written as JSON"),
    ("test_what_it_gives_can_be_stored", gives(pair=(1, 2)), "'pair' comes back from JSON as [1, 2], not as (1, 2)"),
    ("test_the_same_source_gives_the_same_documents", twice_different(), "documents with other text or metadata"),
    ("test_extra_info_is_in_the_metadata", lambda file, extra: load(file, {}), "extra_info is not in the metadata"),
    ("test_what_is_not_there_is_a_source_error", bare, "is a FileNotFoundError: [Errno 2]"),
    ("test_what_is_not_there_is_a_source_error", skips, "a source that is not there is no SourceError: it gives []"),
    ("test_it_works_in_another_thread", in_one_thread(), "raised RuntimeError: made in another thread"),
    ("test_a_folder_is_a_source_error", bare, "a folder is a IsADirectoryError"),
    ("test_a_pipe_is_not_waited_for", waits, "it did not come back within 0.2 seconds"),
    ("test_a_pipe_is_not_waited_for", skips, "a named pipe is no SourceError"),
    ("test_a_damaged_file_is_read_or_refused", undecoded, "a file that is garbled is a UnicodeDecodeError"),
    ("test_a_damaged_file_is_read_or_refused", through, "of a file that is zeros, a document's words hold a NUL"),
    ("test_the_file_is_left_as_it_was", writes, "the file was changed by being read"),
]


class Impatient(FileReaderContract):
    """For the one that waits for what never comes: it is the only one whose clause takes this long."""

    timeout = 0.2


@pytest.mark.parametrize(("clause", "broken", "words"), BROKEN)
def test_a_clause_fails_for_a_reader_that_breaks_it(
    clause: str, broken: Load | None, words: str, source: Path, tmp_path: Path
) -> None:
    reader = object() if broken is None else Reads(broken)
    contract = Impatient if broken is waits else FileReaderContract
    breaks(contract, clause, words, reader=reader, source=source, tmp_path=tmp_path)


def test_every_clause_is_broken_by_one() -> None:
    assert {clause for clause, *_ in BROKEN} == clauses(FileReaderContract)
