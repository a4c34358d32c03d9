"""What is forgotten stays so until it says something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import NotFound
from tests.plugins.iris_memory.homes import remembering, said, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragstone.plugins.iris_memory.memory import Memory

WORDS = "word " * 60


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with remembering(tmp_path) as found:
        yield found


def test_a_file_is_forgotten_until_its_bytes_change(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path / "home", "a.md", "The kettle is red.")
    write(tmp_path / "home", "b.md", "The lamp is blue.")
    memory.update()
    assert memory.forget(str(file)).paths == ["a.md"]
    assert memory.corpus.document_text("a.md") == ""
    for _ in range(2):
        assert memory.update().changed is False
        assert set(said(memory)) == {"b.md"}
    file.touch()
    memory.update_in_full()
    assert set(said(memory)) == {"b.md"}
    assert "forgotten until it changes" in str(memory.status().left_out)
    file.write_text("The kettle is new.")
    assert memory.update().added == ["a.md"]


def test_a_folder_and_what_comes_into_it_later(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "home", "x/a.md", "The kettle is red.")
    write(tmp_path / "home", "x/y/b.md", "The lamp is blue.")
    write(tmp_path / "home", "xa.md", "The door is open.")
    memory.update()
    assert memory.forget("x/").paths == ["x/a.md", "x/y/b.md"]
    write(tmp_path / "home", "x/c.md", "The roof is wet.")
    memory.update()
    assert set(said(memory)) == {"xa.md", "x/c.md"}


def test_a_chunk_is_forgotten_until_its_words_change(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path / "home", "a.md", f"## One\n\n{WORDS}\n\n## Two\n\nSecret {WORDS}")
    memory.update()
    secret = memory.corpus.document_nodes("a.md")[1]
    found = memory.forget(secret.node_id)
    assert (found.paths, found.chunks) == (["a.md"], 1)
    file.write_text(f"## One\n\nNew {WORDS}\n\n## Two\n\nSecret {WORDS}")
    memory.update()
    assert ["New" in text for text in said(memory)["a.md"]] == [True]
    file.write_text(f"## One\n\nNew {WORDS}\n\n## Two\n\nNo secret {WORDS}")
    memory.update()
    assert len(said(memory)["a.md"]) == 2


def test_what_is_not_remembered_cannot_be_forgotten(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "home", "a.md", "The kettle is red.")
    for target in ("a.md", "0123456789abcdef", "/etc/passwd", "../x", "\0"):
        with pytest.raises(NotFound, match=r"nothing of that name is remembered|is empty"):
            memory.forget(target)
