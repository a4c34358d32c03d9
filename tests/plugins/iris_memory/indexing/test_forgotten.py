"""What is forgotten stays so until it says something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core import NotFound
from ragstone.plugins.iris_memory import Memory
from tests.plugins.iris_memory.memories import chunk_texts, open_memory, write

WORDS = "word " * 60


def test_a_file_is_forgotten_until_its_bytes_change(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path / "home", "a.md", "The kettle is red.")
    write(tmp_path / "home", "b.md", "The lamp is blue.")
    memory.update()
    assert memory.forget(str(file)).paths == ["a.md"]
    assert memory.corpus.contents.document_text("a.md") == ""
    for _ in range(2):
        assert memory.update().changed is False
        assert set(chunk_texts(memory)) == {"b.md"}
    with pytest.raises(NotFound, match="is not remembered: forgotten until it changes"):
        memory.forget("a.md")
    file.touch()
    memory.update_in_full()
    assert set(chunk_texts(memory)) == {"b.md"}
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
    assert set(chunk_texts(memory)) == {"xa.md", "x/c.md"}


def test_a_chunk_is_forgotten_until_its_words_change(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path / "home", "a.md", f"## One\n\n{WORDS}\n\n## Two\n\nSecret {WORDS}")
    memory.update()
    secret = memory.corpus.contents.document_nodes("a.md")[1]
    found = memory.forget(secret.node_id)
    assert (found.paths, found.chunks) == (["a.md"], 1)
    file.write_text(f"## One\n\nNew {WORDS}\n\n## Two\n\nSecret {WORDS}")
    memory.update()
    assert ["New" in text for text in chunk_texts(memory)["a.md"]] == [True]
    file.write_text(f"## One\n\nNew {WORDS}\n\n## Two\n\nNo secret {WORDS}")
    memory.update()
    assert len(chunk_texts(memory)["a.md"]) == 2


def test_nothing_that_happens_to_a_file_brings_back_what_is_forgotten(memory: Memory, tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    secret, other = "The kettle is red.", "The lamp is blue."
    file = write(home, "x/a.md", secret)
    write(home, "b.md", other)
    memory.update()
    memory.forget("x/a.md")

    file.unlink()  # deleted and restored
    memory.update()
    assert memory.update().changed is False
    assert memory.status().waiting == []
    write(home, "x/a.md", secret)
    memory.update()
    assert set(chunk_texts(memory)) == {"b.md"}

    home.rename(away)  # a disk that is not mounted, confirmed, and mounted again
    home.mkdir()
    memory.update(prune=True)
    assert chunk_texts(memory) == {}
    home.rmdir()
    away.rename(home)
    memory.update()
    assert set(chunk_texts(memory)) == {"b.md"}

    for words in (b"", b"\0", other.encode(), secret.encode()):  # something else in between
        file.write_bytes(words)
        memory.update()
    assert set(chunk_texts(memory)) == {"b.md"}

    file.rename(home / "renamed.md")
    write(home, "copied.md", secret)
    memory.update()
    memory.update_in_full()
    assert set(chunk_texts(memory)) == {"b.md"}


def test_nothing_that_happens_to_a_file_brings_back_a_chunk_that_is_forgotten(memory: Memory, tmp_path: Path) -> None:
    home = tmp_path / "home"
    words = f"## One\n\n{WORDS}\n\n## Two\n\nSecret {WORDS}"
    file = write(home, "a.md", words)
    write(home, "b.md", "The lamp is blue.")
    memory.update()
    memory.forget(memory.corpus.contents.document_nodes("a.md")[1].node_id)

    def remembered() -> str:
        memory.update()
        return str(chunk_texts(memory))

    file.unlink()
    assert "One" not in remembered()
    for other in (words.encode(), b"\0", words.encode(), b"\n", words.encode()):
        file.write_bytes(other)
        assert "Secret" not in remembered()
    assert "One" in remembered()
    file.rename(home / "c.md")
    assert "Secret" not in remembered()
    (home / "c.md").rename(home / "d.md")
    assert "Secret" not in remembered()
    assert "One" in remembered()
    memory.forget("d.md")
    (home / "d.md").write_text(words.replace("## One", "## One more"))
    assert "Secret" not in remembered()
    assert "One more" in remembered()
    (home / "d.md").write_text(words.replace("Secret", "No secret"))
    assert "No secret" in remembered()


def test_a_forgotten_chunk_of_a_mail_that_is_too_old_for_a_while(tmp_path: Path) -> None:
    write(tmp_path / "home", "m.eml", "From: a@x.org\nDate: Sun, 1 Feb 2026 10:00:00 +0000\n\nIt is a secret.")
    found = []
    for days in (0, 1, 0):
        with open_memory(tmp_path, mail_days=days) as memory:
            memory.clock = lambda: 1_775_000_000.0
            memory.update()
            found.append("secret" in str(chunk_texts(memory)))
            if found == [True]:
                memory.forget(memory.corpus.contents.document_nodes("m.eml")[0].node_id)
    assert found == [True, False, False]


def test_what_is_not_remembered_cannot_be_forgotten(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "home", "a.md", "The kettle is red.")
    for target in ("a.md", "0123456789abcdef", "/etc/passwd", "../x", "\0"):
        with pytest.raises(NotFound, match=r"nothing of that name is remembered|is empty"):
            memory.forget(target)
