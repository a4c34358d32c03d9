"""``ragstone book add`` over repositories, as a user types it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest

from tests.support.third_party_fakes import Here, write_pages

ARMS = {
    "README.md": "# The repository\n\nRun make.\n",
    "notes/ci.md": "# CI\n\nIt is green.\n",
    "LICENSE": "x",
    "setup.py": "x",
    "arms/mkdocs.yml": "site_name: Arms\nsite_author: Ann Author\nnav: [index.md, {Grip: grip.mdx}, lost.md]\n",
    "arms/docs/index.md": "# Arms\n\nAn arm has seven joints.\n",
    "arms/docs/grip.mdx": "import A from 'a';\n\n<A b={1}>\n  A parallel gripper closes two jaws.\n</A>\n",
    "arms/docs/other.md": "# Other\n\nNot in the nav.\n",
}
WHEELS = {
    "book/book.toml": '[book]\ntitle = "Wheels"\n',
    "book/src/SUMMARY.md": "- [Casters](casters.md)\n",
    "book/src/casters.md": "# Casters\n\nA caster is a wheel that swivels about a vertical axis.\n",
}


def test_the_output_says_what_was_taken_and_what_was_left(fast_here: Here, tmp_path: Path) -> None:
    root = write_pages(tmp_path / "robots", ARMS)
    done = fast_here("book", "add", str(root))
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "'Arms' by Ann Author (First Edition) is on the shelf as arms.",
        "Read as MkDocs site in arms/docs/, 2 pages taken: 2 added; 2 passages embedded.",
        "Left out (6):",
        "  lost.md: its file does not exist: lost.md",
        "  README.md, notes/ci.md: outside the arms/docs folder",
        "  arms/docs/other.md: not in mkdocs.yml",
        "  LICENSE: no reader for files without a suffix",
        "  setup.py: no reader for .py",
        'Ask it: ragstone ask book_chat "…" --book arms',
    ]
    again = json.loads(fast_here("book", "add", str(root), "--json").out)
    assert (again["layout"], again["site"], again["authors"]) == ("mkdocs", "arms/docs", ["Ann Author"])
    assert again["unchanged"] == ["arms/docs/index.md", "arms/docs/grip.mdx"]
    assert {"relative": "README.md", "reason": "outside the arms/docs folder"} in again["left_out"]
    assert (
        "closes two jaws" in fast_here("ask", "book_chat", "What does a parallel gripper close?", "--book", "arms").out
    )


def test_a_folder_of_code_around_a_book_is_a_few_lines(fast_here: Here, tmp_path: Path) -> None:
    code = {f"src/{number}.{'abcdefghijklm'[number % 13]}x": "x" for number in range(60)}
    done = fast_here("book", "add", str(write_pages(tmp_path / "robots", ARMS | code)))
    assert len(done.out.splitlines()) == 13
    assert "more for 10 other reasons; --json names all" in done.out


def test_several_books_are_listed_and_one_is_chosen(fast_here: Here, tmp_path: Path) -> None:
    root = write_pages(tmp_path / "robots", ARMS | WHEELS)
    done = fast_here("book", "add", str(root))
    assert done.code == 1
    assert done.line == (
        f"{root}: holds 2 books: book/src (mdBook, 1 page, 'Wheels'); arms/docs (MkDocs site, 2 pages, 'Arms') "
        "(choose one, such as --site book/src, or give its folder alone)"
    )
    assert "'Wheels' (First Edition)" in fast_here("book", "add", str(root), "--site", "book").out
    assert "'Arms' by Ann Author" in fast_here("book", "add", str(root), "--site", "arms/docs").out
    assert fast_here("book", "add", str(root), "--site", "../robots/none").line.endswith(
        "has no pages in 'none' (books: book/src, arms/docs)"
    )


def test_on_a_terminal_it_asks(fast_here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_pages(tmp_path / "robots", ARMS | WHEELS)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(click, "prompt", lambda *_, type, default: type.choices[1])  # noqa: A006 - click's own name
    done = fast_here("book", "add", str(root))
    assert done.out.startswith(
        "  book/src: mdBook, 1 page, 'Wheels'\n  arms/docs: MkDocs site, 2 pages, 'Arms'\n'Arms' by"
    )
    assert fast_here("book", "add", str(root), "--json").code == 1, "a program is not asked"


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "pages", "read"),
    [("multirobot", 35, "mdBook in src/"), ("physical_ai", 21, "Docusaurus site in docs/docs/")],
)
def test_a_real_book(fast_here: Here, data: Path, name: str, pages: int, read: str) -> None:
    done = fast_here("book", "add", str(data / "books" / name))
    assert f"\nRead as {read}, {pages} pages taken: {pages} added; " in done.out
    assert "SOURCE.md" in done.out, "what is no page of the book is named"


@pytest.mark.data
def test_the_real_books_in_one_folder(fast_here: Here, data: Path) -> None:
    line = fast_here("book", "add", str(data / "books")).line
    assert "holds 2 books: biology (mdBook, 257 pages, 'Biology'); multirobot/src (mdBook, 35 pages" in line
