"""What a reader must keep to, so that whoever reads with it can store, compare and name what it gives."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ...errors import SourceError
from .saying import PATIENCE, hold, in_another_thread, must_be_storable, must_raise, must_work

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXTRA = {"contract": "told along"}


class ReaderContract:
    """Give the fixtures ``reader`` and ``source``: what its ``load_data`` gets, and something that it can read."""

    def missing(self, source: Any) -> Any:
        """A source like this one that is not there. Override it where another name makes no such source."""
        return source.with_name(f"no-such-{source.name}") if isinstance(source, Path) else f"{source}-is-not-there"

    def test_it_is_a_reader(self, reader: object) -> None:
        """It is LlamaIndex's own kind of reader: the host takes no other."""
        hold(isinstance(reader, BaseReader), f"it is a {type(reader).__name__}, not a BaseReader of LlamaIndex")

    def test_it_gives_documents_with_words(self, reader: BaseReader, source: Any) -> None:
        """What it gives is a list of documents, at least one, none of them empty."""
        documents = _read(reader, source)
        hold(documents, "it gives no document")
        for document in documents:
            hold(document.text.strip(), "it gives a document without words")

    def test_what_it_gives_can_be_stored(self, reader: BaseReader, source: Any) -> None:
        """Text and metadata are such that every database takes them, and gives them back as they were."""
        for document in _read(reader, source):
            must_be_storable(document.text, document.metadata, "a document's")

    def test_the_same_source_gives_the_same_documents(self, reader: BaseReader, source: Any) -> None:
        """What has not changed has the same ``hash``: it is not embedded again."""
        first, again = ([document.hash for document in _read(reader, source)] for _ in range(2))
        hold(first == again, "read again, the same source gives documents with other text or metadata")

    def test_extra_info_is_in_the_metadata(self, reader: BaseReader, source: Any) -> None:
        """What the caller tells with ``extra_info`` is in every document's metadata."""
        documents = must_work(lambda: reader.load_data(source, extra_info=dict(_EXTRA)), "load_data with extra_info")
        for document in documents:
            hold(
                document.metadata.items() >= _EXTRA.items(),
                f"extra_info is not in the metadata, which are {sorted(document.metadata)}",
            )

    def test_what_is_not_there_is_a_source_error(self, reader: BaseReader, source: Any) -> None:
        """A source that is not there is a ``SourceError``: the caller leaves it out, names it and goes on."""
        must_raise(SourceError, lambda: reader.load_data(self.missing(source)), "a source that is not there")

    def test_it_works_in_another_thread(self, reader: BaseReader, source: Any) -> None:
        """Who reads is often not who made the reader."""
        here = [document.hash for document in _read(reader, source)]
        there = in_another_thread(lambda: [document.hash for document in _read(reader, source)])
        hold(here == there, "in another thread it gives other documents")


class FileReaderContract(ReaderContract):
    """For readers of files: ``source`` is a ``Path``. Adds what becomes of things that are no file, or a broken one."""

    #: Seconds after which a reader hangs.
    patience = PATIENCE

    def test_a_folder_is_a_source_error(self, reader: BaseReader, source: Path, tmp_path: Path) -> None:
        """A folder that is named like a file is a ``SourceError``."""
        folder = tmp_path / f"contract-folder{source.suffix}"
        folder.mkdir()
        must_raise(SourceError, lambda: reader.load_data(folder), "a folder")

    def test_a_pipe_is_not_waited_for(self, reader: BaseReader, source: Path, tmp_path: Path) -> None:
        """A named pipe is a ``SourceError`` at once: nobody may ever write into it."""
        pipe = tmp_path / f"contract-pipe{source.suffix}"
        os.mkfifo(pipe)
        try:
            in_another_thread(
                lambda: must_raise(SourceError, lambda: reader.load_data(pipe), "a named pipe"), seconds=self.patience
            )
        finally:  # who waits for it all the same may go
            with suppress(OSError):
                os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))

    def test_a_damaged_file_is_read_or_refused(self, reader: BaseReader, source: Path, tmp_path: Path) -> None:
        """A damaged file gives documents that can be stored, or is a ``SourceError``; it is no other error."""
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
                must_be_storable(document.text, document.metadata, f"of a file that is {damage}, a document's")

    def test_the_file_is_left_as_it_was(self, reader: BaseReader, source: Path) -> None:
        """Reading changes nothing."""
        before = source.read_bytes()
        _read(reader, source)
        hold(source.is_file() and source.read_bytes() == before, "the file was changed by being read")


def _read(reader: BaseReader, source: Any) -> list[Document]:
    documents = must_work(lambda: reader.load_data(source), f"load_data({source!r})")
    hold(isinstance(documents, list), f"it gives a {type(documents).__name__}, not a list of documents")
    for document in documents:
        hold(isinstance(document, Document), f"it gives a {type(document).__name__} among its documents")
    return documents


def _damaged(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    yield "cut-off", data[: len(data) // 2]
    yield "zeros", bytes(len(data))
    yield "garbled", bytes(byte ^ 0xD5 if at % 7 == 3 else byte for at, byte in enumerate(data))
