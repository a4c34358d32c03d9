"""The contract of readers: the caller can store and compare their documents and name what cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ...errors import SourceError
from .assertions import TIMEOUT, attempt, check, check_raises, check_storable, run_in_thread

_EXTRA = {"contract": "extra"}


class ReaderContract:
    """Fixtures of the subclass: ``reader``, and ``source``, an argument of its ``load_data`` that it can read."""

    def missing(self, source: Any) -> Any:
        """A source like this one that does not exist. Override it where another name still exists."""
        return source.with_name(f"no-such-{source.name}") if isinstance(source, Path) else f"{source}-is-not-there"

    def test_it_is_a_reader(self, reader: object) -> None:
        """It is an instance of LlamaIndex's ``BaseReader``: the host accepts no other class."""
        check(isinstance(reader, BaseReader), f"it is a {type(reader).__name__}, not a BaseReader of LlamaIndex")

    def test_it_gives_documents_with_words(self, reader: BaseReader, source: Any) -> None:
        """It returns a list of at least one document, none of them empty."""
        documents = _read(reader, source)
        check(documents, "it gives no document")
        for document in documents:
            check(document.text.strip(), "it gives a document without words")

    def test_what_it_gives_can_be_stored(self, reader: BaseReader, source: Any) -> None:
        """Every database can store the documents' text and metadata without a change."""
        for document in _read(reader, source):
            check_storable(document.text, document.metadata, "a document's")

    def test_the_same_source_gives_the_same_documents(self, reader: BaseReader, source: Any) -> None:
        """An unchanged document has the same ``hash``, so that it is not embedded again."""
        first, again = ([document.hash for document in _read(reader, source)] for _ in range(2))
        check(first == again, "read again, the same source gives documents with other text or metadata")

    def test_extra_info_is_in_the_metadata(self, reader: BaseReader, source: Any) -> None:
        """Every document's metadata contain the caller's ``extra_info``."""
        documents = attempt(lambda: reader.load_data(source, extra_info=dict(_EXTRA)), "load_data with extra_info")
        for document in documents:
            keys = sorted(document.metadata)
            check(document.metadata.items() >= _EXTRA.items(), f"extra_info is not in the metadata, which are {keys}")

    def test_what_is_not_there_is_a_source_error(self, reader: BaseReader, source: Any) -> None:
        """A source that does not exist raises ``SourceError``: the caller skips it with a message."""
        check_raises(SourceError, lambda: reader.load_data(self.missing(source)), "a source that is not there")

    def test_it_works_in_another_thread(self, reader: BaseReader, source: Any) -> None:
        """It reads in a thread that did not create it."""
        here = [document.hash for document in _read(reader, source)]
        there = run_in_thread(lambda: [document.hash for document in _read(reader, source)])
        check(here == there, "in another thread it gives other documents")


class FileReaderContract(ReaderContract):
    """For readers of files: ``source`` is a ``Path``. Adds clauses on folders, pipes and damaged files."""

    #: Seconds after which a call of the reader hangs.
    timeout = TIMEOUT

    def test_a_folder_is_a_source_error(self, reader: BaseReader, source: Path, tmp_path: Path) -> None:
        """A folder with a file's name raises ``SourceError``."""
        folder = tmp_path / f"contract-folder{source.suffix}"
        folder.mkdir()
        check_raises(SourceError, lambda: reader.load_data(folder), "a folder")

    def test_a_pipe_is_not_waited_for(self, reader: BaseReader, source: Path, tmp_path: Path) -> None:
        """A named pipe raises ``SourceError`` without being read, which could block for ever."""
        pipe = tmp_path / f"contract-pipe{source.suffix}"
        os.mkfifo(pipe)
        try:
            run_in_thread(
                lambda: check_raises(SourceError, lambda: reader.load_data(pipe), "a named pipe"), seconds=self.timeout
            )
        finally:  # releases a reader that waits for the pipe
            with suppress(OSError):
                os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))

    def test_a_damaged_file_is_read_or_refused(self, reader: BaseReader, source: Path, tmp_path: Path) -> None:
        """A damaged file gives documents that can be stored, or raises ``SourceError`` and no other error."""
        for damage, data in _damaged(source.read_bytes()):
            file = tmp_path / f"contract-{damage}{source.suffix}"
            file.write_bytes(data)
            try:
                documents = reader.load_data(file)
            except SourceError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"a file that is {damage} is a {type(error).__name__}: {error}; it should be a SourceError"
                ) from error
            for document in documents:
                check_storable(document.text, document.metadata, f"of a file that is {damage}, a document's")

    def test_the_file_is_left_as_it_was(self, reader: BaseReader, source: Path) -> None:
        """Reading does not change the file."""
        before = source.read_bytes()
        _read(reader, source)
        check(source.is_file() and source.read_bytes() == before, "the file was changed by being read")


def _read(reader: BaseReader, source: Any) -> list[Document]:
    documents = attempt(lambda: reader.load_data(source), f"load_data({source!r})")
    check(isinstance(documents, list), f"it gives a {type(documents).__name__}, not a list of documents")
    for document in documents:
        check(isinstance(document, Document), f"it gives a {type(document).__name__} among its documents")
    return documents


def _damaged(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    yield "cut-off", data[: len(data) // 2]
    yield "zeros", bytes(len(data))
    yield "garbled", bytes(byte ^ 0xD5 if at % 7 == 3 else byte for at, byte in enumerate(data))
