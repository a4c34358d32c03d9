"""An agent's home for tests, and a host that remembers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import Memory, memory_of
from tests.support.third_party_fakes import write_pages


@contextmanager
def open_memory(folder: Path, *, database: str | None = None, **options: Any) -> Iterator[Memory]:
    """The memory of ``folder/home``, which is made if it is not there."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    named = {"iris_memory": {"root": str(home), "mail_days": 0, **options}}
    with open_host(folder, options=named, database=database) as host:
        yield memory_of(host)


@contextmanager
def remembering(folder: Path, files: Mapping[str, str], **options: Any) -> Iterator[Host]:
    """An open host that remembers these files, which are written below ``folder/home``."""
    named = {"iris_memory": {"root": str(write_pages(folder / "home", files)), **options}}
    with open_host(folder, options=named) as host:
        memory_of(host).update()
        yield host


def write(home: Path, path: str, words: str | bytes) -> Path:
    """A file below the home, its folders made."""
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(words if isinstance(words, bytes) else words.encode())
    return file


def chunk_texts(memory: Memory) -> dict[str, list[str]]:
    """Every chunk's text, by path."""
    if not memory.corpus.contents.exists:
        return {}
    found = {
        row.doc_id: memory.corpus.contents.document_nodes(row.doc_id) for row in memory.corpus.contents.documents()
    }
    return {path: [node.get_content() for node in nodes] for path, nodes in found.items() if nodes}
