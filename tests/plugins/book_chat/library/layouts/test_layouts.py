from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragstone.core import SourceError
from ragstone.plugins.book_chat import Shelf
from tests.plugins.book_chat.reading import names, reasons
from tests.support.patience import grows_linearly
from tests.support.third_party_fakes import write_pages


def test_an_mdbook_in_the_order_of_its_summary(planning: Shelf, tmp_path: Path) -> None:
    summary = (
        "# Summary\n\n[Preface](preface.md)\n\n# Part One\n\n- [First](./b.md)\n  - [Inner](in/a%20b.md)\n"
        "    - [Deep *one*](in/c.md#top)\n- [Draft]()\n- [Gone](gone.md)\n- [Out](../../x.md)\n"
        "- [Web](https://example.org)\n- [Again](b.md)\n\n---\n\n[After](after.md)\n"
    )
    root = write_pages(
        tmp_path / "book",
        {
            "book.toml": '[book]\ntitle = "Robots"\nsrc = "text"\n',
            "text/SUMMARY.md": summary,
            **{f"text/{n}.md": "x" for n in ("preface", "b", "in/a b", "in/c", "after", "forgotten")},
            "text/images/1.png": "",
            "text/images/2.PNG": "",
            "notes.doc": "x",
        },
    )
    layout = planning.plan(root)
    assert (layout.kind, layout.title) == ("mdbook", "Robots")
    assert names(layout) == [
        "text/preface.md",
        "text/b.md",
        "text/in/a b.md",
        "text/in/c.md",
        "text/after.md",
    ]
    assert [f.chapter for f in layout.files] == ["Preface", "First", "First", "First", "After"]
    assert [f.within for f in layout.files] == [(), (), ("Inner",), ("Inner", "Deep one"), ()]
    assert [f.position for f in layout.files] == [0, 1, 2, 3, 4]
    left = reasons(layout)
    assert left["text/forgotten.md"] == "not in SUMMARY.md"
    assert left["Draft"].startswith("a draft")
    assert left["Gone"].startswith("its file does not exist")
    assert left["Out"].startswith("its link leaves the book")
    assert left["Web"].startswith("its link leaves the book")
    assert left["text/images/ (2 files)"] == "images, not text"
    assert left["notes.doc"] == "no reader for .doc"


@pytest.mark.parametrize(
    ("book", "title"),
    [
        ('title = "Robots"', "Robots"),
        ('title = "Robots"\nsrc = "./text/"', "Robots"),
        ('title = "Ro\\u001b[31mbots"\nsrc = "text"', "Ro[31mbots"),
        ('title = "Robots"\nsrc = "other"', "Front"),
        ('src = "text"', "Front"),
        ("title = [", "Front"),
    ],
)
def test_the_source_folder_of_an_mdbook_has_its_title(
    planning: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, book: str, title: str
) -> None:
    folder = "text" if "text" in book else "src"
    summary = "---\ntitle: Front\n---\n[A](a.md)\n"
    write_pages(
        tmp_path,
        {"book.toml": f"[book]\n{book}\n", f"{folder}/SUMMARY.md": summary, f"{folder}/a.md": "x"},
    )
    layout = planning.plan(tmp_path / folder)
    assert (layout.kind, layout.title, names(layout)) == ("mdbook", title, ["a.md"])
    monkeypatch.chdir(tmp_path / folder)
    assert planning.plan(Path()).title == title


def test_a_link_too_long_for_a_file_is_left_out(planning: Shelf, tmp_path: Path) -> None:
    summary = f"[A](a.md)\n\n[B]({'b' * 5000}.md)\n"
    layout = planning.plan(write_pages(tmp_path, {"SUMMARY.md": summary, "a.md": "x"}))
    assert reasons(layout)["B"].startswith("its file does not exist")


def test_parts_of_a_kramdown_summary_are_no_chapters(planning: Shelf, tmp_path: Path) -> None:
    summary = (
        '---\ntitle: "Life"\n---\n\n1.  {: .preface} [Preface](p.md)\n2.  {: .part} Unit 1. Cells\n'
        "    1.  {: .chapter} [Mendel\\'s Work](c.md)\n        1.  [Peas](d.md)\n"
        "3.  Unmarked part\n    1.  [E](e.md)\n"
    )
    files = {"SUMMARY.md": summary, **{f"{n}.md": "x" for n in "pcde"}}
    layout = planning.plan(write_pages(tmp_path, files))
    assert layout.title == "Life"
    assert [(f.chapter, f.within) for f in layout.files] == [
        ("Preface", ()),
        ("Mendel's Work", ()),
        ("Mendel's Work", ("Peas",)),
        ("E", ()),
    ]


def test_docusaurus_by_position_prefix_and_name(planning: Shelf, tmp_path: Path) -> None:
    root = write_pages(
        tmp_path,
        {
            "docs/z.md": "---\nsidebar_position: 1\n---\n# Zed *first*\n",
            "docs/02-second.md": "words",
            "docs/guides/_category_.json": '{"position": 1.5}',
            "docs/guides/b.md": "---\ntitle: B title\n---\n# Other\n",
            "docs/guides/index.md": "# Guides\n",
            "docs/a.md": "# Last\n",
            "docs/off.md": "---\ndraft: true\n---\n",
            "docs/_partials/x.md": "x",
            "README.md": "x",
        },
    )
    layout = planning.plan(root)
    assert layout.kind == "docusaurus"
    assert names(layout) == [
        "docs/z.md", "docs/guides/index.md", "docs/guides/b.md", "docs/02-second.md", "docs/a.md",
    ]  # fmt: skip
    assert [f.chapter for f in layout.files] == ["Zed first", "Guides", "B title", "Second", "Last"]
    left = reasons(layout)
    assert left["docs/off.md"] == "a draft"
    assert "_" in left["docs/_partials/x.md"]
    assert left["README.md"] == "outside the docs folder"


def test_a_folder_in_natural_order(planning: Shelf, tmp_path: Path) -> None:
    files = ("ch10.md", "ch2.md", "sub/README.md", "sub/a.md", "README.md", ".git/x.md", "node_modules/y.md")
    layout = planning.plan(write_pages(tmp_path, dict.fromkeys(files, "x")))
    assert layout.kind == "folder"
    assert names(layout) == ["README.md", "ch2.md", "ch10.md", "sub/README.md", "sub/a.md"]
    assert reasons(layout) == {".git/": "a hidden folder", "node_modules/": "packages, not text"}


def test_links_that_leave_the_book_are_left_out(planning: Shelf, tmp_path: Path) -> None:
    write_pages(tmp_path, {"out/secret.md": "x", "book/a.md": "x"})
    (tmp_path / "book" / "s.md").symlink_to(tmp_path / "out" / "secret.md")
    (tmp_path / "book" / "d").symlink_to(tmp_path / "out")
    (tmp_path / "book" / "loop").symlink_to(tmp_path / "book")
    (tmp_path / "book" / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    layout = planning.plan(tmp_path / "book")
    assert names(layout) == ["a.md"]
    assert reasons(layout)["s.md"] == reasons(layout)["d"] == "a link that leaves the book"
    assert reasons(layout)["loop"] == "a link to a folder"


def test_a_link_to_itself_is_left_out(planning: Shelf, tmp_path: Path) -> None:
    (write_pages(tmp_path, {"a.md": "x"}) / "b.md").symlink_to("b.md")
    layout = planning.plan(tmp_path)
    assert names(layout) == ["a.md"] and "b.md" in reasons(layout)


def test_what_may_not_be_looked_at_is_no_bug(planning: Shelf, tmp_path: Path) -> None:
    write_pages(tmp_path, {"in/a.md": "x", "b.md": "x"})
    (tmp_path / "link.md").symlink_to(tmp_path / "in" / "a.md")
    (tmp_path / "in").chmod(0)
    try:
        if os.access(tmp_path / "in", os.R_OK):
            pytest.skip("this user may look at everything")
        layout = planning.plan(tmp_path)
        with pytest.raises(SourceError, match="cannot be reached"):
            planning.plan(tmp_path / "in" / "a.md")
    finally:
        (tmp_path / "in").chmod(0o700)
    assert names(layout) == ["b.md"]
    assert reasons(layout)["in/"].startswith("cannot be listed") and "link.md" in reasons(layout)


def test_one_file_is_a_book(planning: Shelf, tmp_path: Path) -> None:
    layout = planning.plan(write_pages(tmp_path, {"a.md": "x"}) / "a.md")
    assert (layout.kind, names(layout), layout.files[0].chapter) == ("file", ["a.md"], None)


@pytest.mark.parametrize("files", [{}, {"a.doc": "x"}, {"SUMMARY.md": "# Summary\n"}])
def test_nothing_to_read_says_so(planning: Shelf, tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(SourceError) as caught:
        planning.plan(write_pages(tmp_path, files))
    assert caught.value.where and caught.value.hint


def test_missing_and_unreadable_paths(planning: Shelf, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"does not exist.*not an address"):
        planning.plan(tmp_path / "none")
    with pytest.raises(SourceError, match="no reader for"):
        planning.plan(write_pages(tmp_path, {"a.doc": "x"}) / "a.doc")


def test_a_walk_has_an_end(planning: Shelf, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for number in range(20_001):
        (tmp_path / "many" / f"{number}.md").touch()
    with pytest.raises(SourceError, match="more than 20,000 files"):
        planning.plan(tmp_path / "many")
    with pytest.raises(SourceError, match="folders deep"):
        planning.plan(write_pages(tmp_path / "deep", {"/".join("x" * 40) + "/a.md": "x"}))


@pytest.mark.parametrize("part", ["a", "[", "[a](", "- [a](b.md)\n", "  ", "# a\n", "1. ", "{: .a"])
def test_a_summary_of_one_thing_over_and_over_takes_linear_time(planning: Shelf, tmp_path: Path, part: str) -> None:
    write_pages(tmp_path, {"a.md": "x"})

    def plan(size: int) -> None:
        (tmp_path / "SUMMARY.md").write_text("[A](a.md)\n[A](" + part * size)
        planning.plan(tmp_path)

    assert grows_linearly(plan, 1000)
