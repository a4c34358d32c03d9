from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core import SourceError
from ragstone.plugins.book_chat import MarkdownReader
from tests.plugins.book_chat.reading import read


def test_a_file_is_one_document(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b'\xef\xbb\xbf---\ntitle: "Front: title"\nid: x\n---\n# Head *ing*\n\nWords.\n')
    (document,) = MarkdownReader().load_data(path, {"book": "b"})
    assert document.text == "# Head ing\n\nWords.\n"
    assert document.metadata == {"title": "Front: title", "book": "b"}


@pytest.mark.parametrize(
    ("source", "title", "text"),
    [
        ("# One\n", "One", "# One\n"),
        ("Words\n", None, "Words\n"),
        ("---\n: [broken\n---\nWords\n", None, "Words\n"),
        ("---\n- a list\n---\n# Head\n", "Head", "# Head\n"),
        ("---\n---\nWords\n", None, "Words\n"),
        ('---\ntitle: "A\\e[31m\\n \\u202eB"\n---\nWords\n', "A[31m B", "Words\n"),
    ],
)
def test_titles(source: str, title: str | None, text: str) -> None:
    document = read(source)
    assert (document.metadata["title"], document.text) == (title, text)


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"ab\xffc", "0xff at offset 2"), (b"a\0b", "NUL byte at offset 1"), (b"x" * 20_000_001, "more than 20,000,000")],
    ids=["no UTF-8", "NUL", "too long"],
)
def test_what_is_not_text_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=message) as caught:
        MarkdownReader().load_data(path)
    assert caught.value.where == str(path)
