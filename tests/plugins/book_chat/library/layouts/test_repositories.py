"""Books in checked-out repositories: found by their configurations, read in their order, and what is no page named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragstone.core import SourceError
from ragstone.plugins.book_chat import LeftOut, SeveralBooks, Shelf
from tests.plugins.book_chat.reading import names, reasons
from tests.support.patience import without_hanging
from tests.support.third_party_fakes import write_pages


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "robots"


def pages(*names: str) -> dict[str, str]:
    """Pages with a heading and a sentence, each under its own name."""
    return {name: f"# About {name.rpartition('/')[2].partition('.')[0]}\n\nWords of {name}.\n" for name in names}


NOTES = pages("README.md", "CONTRIBUTING.md", "ci/notes.md")
DOCUSAURUS = {
    **NOTES,
    "docusaurus.config.ts": """\
// title: 'Old'
import {themes} from 'prism-react-renderer';
const config: Config = {
    title: 'Deeper',
  tagline: 'title: no',
  title: 'Robots \\'n\\' Arms',
  themeConfig: {
    navbar: { title: 'Menu' },
  },
};
export default config;
""",
    "docs/intro.mdx": """\
---
sidebar_position: 1
---
import Tabs from '@theme/Tabs';

# Start

<Tabs values={[{label: "A"}]}>
    Turn it on.
</Tabs>
""",
    "docs/arms/_category_.json": '{"label": "Arms", "position": 2}',
    **pages("docs/arms/grip.md", "docs/wheels.md", "docs/_part.md"),
    **pages("versioned_docs/version-1.0/intro.md", "i18n/de/docs/intro.md", "blog/2020-01-01-hello.md"),
}
MKDOCS = {
    **NOTES,
    "mkdocs.yml": """\
site_name: Robots
site_author: Ann Author
docs_dir: text
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
  - toc:
      permalink: !ENV [LINK, true]
nav:
  - index.md
  - Hands:
      - Gripping: hands/grip.md
      - hands/touch.md
      - Deeper:
        - C#: hands/c#.md
  - Web: https://example.org/
  - Out: ../README.md
  - Gone: gone.md
""",
    **pages("text/index.md", "text/hands/grip.md", "text/hands/touch.md", "text/hands/c#.md", "text/forgotten.md"),
    "tools/a.py": "x",
}
JUPYTER = {
    **NOTES,
    "_config.yml": "title: Robots\nauthor: Ann Author\nexclude_patterns: [_build]\n",
    "_toc.yml": """\
format: jb-book
root: intro
parts:
  - caption: Hands
    chapters:
      - file: hands/grip
        sections:
          - file: hands/touch.md
          - file: hands/measure
  - caption: Web
    chapters:
      - url: https://example.org
        title: Elsewhere
      - glob: more/*
      - file: gone
""",
    **pages("intro.md", "hands/grip.md", "hands/touch.md", "more/b.md", "more/a.md", "more/deep/c.md"),
    "hands/measure.ipynb": "{}",
}
MYST = {
    **NOTES,
    "book/myst.yml": """\
version: 1
project:
  title: Robots
  authors:
    - name: Ann Author
    - Bo Writer
  toc:
    - file: intro.md
    - title: Hands
      children:
        - file: grip.md
        - pattern: more/*.md
""",
    **pages("book/intro.md", "book/grip.md", "book/more/a.md", "book/other.md"),
}
QUARTO = {
    **NOTES,
    "_quarto.yml": """\
project:
  type: book
book:
  title: Robots
  author:
    - name: Ann Author
  chapters:
    - index.qmd
    - part: hands.qmd
      chapters:
        - grip.qmd
    - part: Feet
      chapters: [walk.md, run.ipynb]
  appendices:
    - tools.qmd
""",
    **pages("index.qmd", "hands.qmd", "grip.qmd", "walk.md", "tools.qmd"),
    "run.ipynb": "{}",
}
SPHINX = {
    **NOTES,
    "docs/source/conf.py": "import os\nproject = 'Robots'\nauthor = 'Ann Author'\nextensions = ['myst_parser']\n",
    "docs/source/index.rst": """\
Robots
======

.. toctree::
   :maxdepth: 2
   :caption: First

   start
   Gripping <hands/grip>
   api/index
   /hands/index
   https://example.org

More words.

.. toctree::
   :glob:

   more/*
   self
""",
    "docs/source/hands/index.md": "# Hands\n\n```{toctree}\n---\nmaxdepth: 1\n---\ngrip\ntouch\n```\n",
    "docs/source/api/index.rst": "API\n===\n\n.. toctree::\n\n   functions.md\n   ../index\n",
    **pages("docs/source/start.md", "docs/source/hands/grip.md", "docs/source/hands/touch.md"),
    **pages("docs/source/api/functions.md", "docs/source/more/a.md", "docs/source/forgotten.md"),
}


def test_a_docusaurus_site(shelf: Shelf, root: Path) -> None:
    layout = shelf.plan(write_pages(root, DOCUSAURUS))
    assert (layout.kind, layout.folder, layout.title) == ("docusaurus", "docs", "Robots 'n' Arms")
    assert names(layout) == ["docs/intro.mdx", "docs/arms/grip.md", "docs/wheels.md"]
    left = reasons(layout)
    assert left["versioned_docs/version-1.0/intro.md"] == "of another version"
    assert left["i18n/de/docs/intro.md"] == "a translation"
    assert left["README.md"] == left["ci/notes.md"] == left["blog/2020-01-01-hello.md"] == "outside the docs folder"
    assert "_" in left["docs/_part.md"]
    report = shelf.add(layout)
    assert (report.site, report.title, report.authors) == ("docs", "Robots 'n' Arms", [])
    (node,) = shelf.corpus.contents.document_nodes(f"{report.book}:docs/intro.mdx")
    assert "Turn it on." in node.text and "import" not in node.text and "Tabs" not in node.text


def test_a_sidebar_that_names_its_pages_is_the_order(shelf: Shelf, root: Path) -> None:
    sidebars = "export default {main: ['wheels', {type: 'category', items: ['arms/gripping', \"start\"]}]};\n"
    files = {
        "website/docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {path: '../pages'}}]]};\n",
        "website/sidebars.js": sidebars,
        "pages/arms/02-grip.md": "---\nid: gripping\n---\nGrip.\n",
        **pages("pages/01-start.md", "pages/wheels.md", "pages/a.md"),
    }
    layout = shelf.plan(write_pages(root, files))
    assert names(layout) == ["pages/wheels.md", "pages/arms/02-grip.md", "pages/01-start.md", "pages/a.md"]
    (root / "website" / "sidebars.js").write_text(
        "module.exports = {a: [{type: 'autogenerated', dirName: '.'}, 'wheels']}"
    )
    assert names(shelf.plan(root))[0] == "pages/01-start.md"


def test_an_mkdocs_site(shelf: Shelf, root: Path) -> None:
    layout = shelf.plan(write_pages(root, MKDOCS))
    assert (layout.kind, layout.folder, layout.title) == ("mkdocs", "text", "Robots")
    assert layout.authors == ("Ann Author",)
    assert names(layout) == ["text/index.md", "text/hands/grip.md", "text/hands/touch.md", "text/hands/c#.md"]
    assert [file.chapter for file in layout.files] == ["About index", "Gripping", "About touch", "C#"]
    left = reasons(layout)
    assert left["Out"] == "its link leaves the book: ../README.md"
    assert left["Web"].startswith("its link leaves the book")
    assert left["Gone"] == "its file does not exist: gone.md"
    assert left["text/forgotten.md"] == "not in mkdocs.yml"
    assert left["README.md"] == "outside the text folder"
    assert left["tools/a.py"] == "no reader for .py"
    (root / "mkdocs.yml").write_text("site_name: Robots\ndocs_dir: text\n")
    assert names(shelf.plan(root)) == [
        "text/index.md", "text/forgotten.md", "text/hands/c#.md", "text/hands/grip.md", "text/hands/touch.md",
    ]  # fmt: skip


def test_a_jupyter_book(shelf: Shelf, root: Path) -> None:
    layout = shelf.plan(write_pages(root, JUPYTER))
    assert (layout.kind, layout.folder, layout.title) == ("jupyterbook", ".", "Robots")
    assert layout.authors == ("Ann Author",)
    assert names(layout) == ["intro.md", "hands/grip.md", "hands/touch.md", "more/a.md", "more/b.md"]
    assert [(file.chapter, file.within) for file in layout.files][1:3] == [
        ("About grip", ()),
        ("About grip", ("About touch",)),
    ]
    left = reasons(layout)
    assert left["hands/measure.ipynb"] == "no reader for .ipynb"
    assert left["Elsewhere"] == "its link leaves the book: https://example.org"
    assert left["gone"] == "its file does not exist: gone"
    assert left["README.md"] == left["more/deep/c.md"] == "not in _toc.yml"


def test_a_myst_project_below_the_root(shelf: Shelf, root: Path) -> None:
    layout = shelf.plan(write_pages(root, MYST))
    assert (layout.kind, layout.folder, layout.title) == ("jupyterbook", "book", "Robots")
    assert layout.authors == ("Ann Author", "Bo Writer")
    assert names(layout) == ["book/intro.md", "book/grip.md", "book/more/a.md"]
    assert reasons(layout)["book/other.md"] == "not in myst.yml"


def test_a_quarto_book(shelf: Shelf, root: Path) -> None:
    layout = shelf.plan(write_pages(root, QUARTO))
    assert (layout.kind, layout.title, layout.authors) == ("quarto", "Robots", ("Ann Author",))
    assert names(layout) == ["index.qmd", "hands.qmd", "grip.qmd", "walk.md", "tools.qmd"]
    assert reasons(layout)["run.ipynb"] == "no reader for .ipynb"
    report = shelf.add(layout)
    assert len(report.added) == 5


def test_a_sphinx_site(shelf: Shelf, root: Path) -> None:
    layout = shelf.plan(write_pages(root, SPHINX))
    assert (layout.kind, layout.folder, layout.title) == ("sphinx", "docs/source", "Robots")
    assert layout.authors == ("Ann Author",)
    assert [name.removeprefix("docs/source/") for name in names(layout)] == [
        "index.rst",
        "start.md",
        "hands/grip.md",
        "api/index.rst",
        "api/functions.md",
        "hands/index.md",
        "hands/touch.md",
        "more/a.md",
    ]
    assert [(file.title, file.chapter) for file in layout.files][2:7] == [
        ("Gripping", "Gripping"),
        ("API", "API"),
        ("About functions", "API"),
        ("Hands", "Hands"),
        ("About touch", "Hands"),
    ]
    left = reasons(layout)
    assert left["docs/source/forgotten.md"] == "in no toctree"
    assert left["https://example.org"].startswith("its link leaves the book")


def test_a_sphinx_site_of_restructuredtext(shelf: Shelf, root: Path) -> None:
    files = {"README.md": "x", "docs/conf.py": "project = 'A'\n", "docs/index.rst": "A\n=\n\n.. toctree::\n\n   b\n"}
    layout = shelf.plan(write_pages(root, {**files, "docs/b.rst": "B\n=\n\nA *caster* is a :term:`wheel`.\n"}))
    assert names(layout) == ["docs/index.rst", "docs/b.rst"]
    report = shelf.add(layout)
    assert (report.left_out, report.chunks) == ([LeftOut("README.md", "outside the docs folder")], 1)
    (node,) = shelf.corpus.contents.document_nodes("a:docs/b.rst")
    assert (node.get_content(), node.metadata["chapter"]) == ("A caster is a wheel.", "B")


def test_a_mdbook_below_the_root_has_its_own_manifest(shelf: Shelf, root: Path) -> None:
    files = {
        **NOTES,
        "book/book.toml": (
            '[book]\ntitle = "Robots"\nauthors = ["Ann", "Bo"]\n[ragstone]\nurl = "https://robots.example/"\n'
            '[ragstone.urls]\n"src/b.md" = "https://b.example/"\n'
        ),
        "book/src/SUMMARY.md": "[A](a.md)\n[B](b.md)\n",
        **pages("book/src/a.md", "book/src/b.md"),
    }
    layout = shelf.plan(write_pages(root, files))
    assert (layout.kind, layout.folder, layout.authors) == ("mdbook", "book/src", ("Ann", "Bo"))
    report = shelf.add(layout)
    urls = [
        shelf.corpus.contents.document_nodes(f"{report.book}:book/src/{name}.md")[0].metadata["url"] for name in "ab"
    ]
    assert urls == ["https://robots.example/src/a.html", "https://b.example/"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (pages("README.md", "docs/b.md", "docs/a.md"), ["docs/a.md", "docs/b.md"]),
        (pages("README.md", "src/a.md", "lib/README.md"), ["src/a.md"]),
        (pages("README.md", "docs/README.md"), ["README.md", "docs/README.md"]),
        (pages("README.md", "ch1.md", "docs/a.md"), ["README.md", "ch1.md", "docs/a.md"]),
        ({**pages("README.md", "ci.md", "docs/a.md"), ".git/HEAD": "x"}, ["docs/a.md"]),
    ],
)
def test_without_a_configuration(shelf: Shelf, root: Path, files: dict[str, str], expected: list[str]) -> None:
    layout = shelf.plan(write_pages(root, files))
    assert (layout.kind, names(layout)) == ("folder", expected)
    assert set(names(shelf.plan(root, "."))) == {name for name in files if name.endswith(".md")}


def test_a_repository_that_changed_is_brought_up_to_date(shelf: Shelf, root: Path) -> None:
    shelf.add(shelf.plan(write_pages(root, MKDOCS)))
    (root / "text" / "index.md").write_text("# Anew\n\nOther words.\n")
    config = root / "mkdocs.yml"
    config.write_text(config.read_text().replace("      - hands/touch.md\n", "").replace("gone.md", "forgotten.md"))
    report = shelf.add(shelf.plan(root))
    assert (report.added, report.removed) == (["text/forgotten.md"], ["text/hands/touch.md"])
    assert report.updated == ["text/index.md", "text/hands/c#.md"]  # the second for its place in the order
    assert report.unchanged == ["text/hands/grip.md"]
    assert len(shelf.books()) == 1


def test_of_several_books_one_is_chosen(shelf: Shelf, root: Path) -> None:
    book = {
        "book/book.toml": '[book]\ntitle = "Arms"\n',
        "book/src/SUMMARY.md": "[A](a.md)\n",
        **pages("book/src/a.md"),
    }
    with pytest.raises(SeveralBooks, match="--site") as caught:
        shelf.plan(
            write_pages(root, {**DOCUSAURUS, **book, **pages("tests/mkdocs/docs/a.md"), "tests/mkdocs/mkdocs.yml": "x"})
        )
    assert caught.value.sites == {
        "book/src": "mdBook, 1 page, 'Arms'",
        "docs": "Docusaurus site, 3 pages, 'Robots 'n' Arms'",
    }
    for site in ("book", "book/src", "./book/"):
        layout = shelf.plan(root, site)
        assert (layout.kind, names(layout)) == ("mdbook", ["book/src/a.md"])
    assert shelf.plan(root, "docs").kind == shelf.plan(root, ".").kind == "docusaurus"
    other = shelf.plan(root, "versioned_docs/version-1.0")
    assert (other.kind, names(other)) == ("folder", ["versioned_docs/version-1.0/intro.md"])
    for site in ("nowhere", "../robots/nowhere", "..", "/"):
        with pytest.raises(SourceError, match="has no pages"):
            shelf.plan(root, site)
    with pytest.raises(SourceError, match="is a file"):
        shelf.plan(root / "README.md", "docs")


def test_nothing_outside_of_the_folder_is_read(shelf: Shelf, root: Path, tmp_path: Path) -> None:
    write_pages(tmp_path, {**pages("secret.md", "out/a.md"), "out/SUMMARY.md": "[A](a.md)", "out/index.rst": "A\n"})
    for config, name, text in (
        ("MkDocs", "mkdocs.yml", "docs_dir: ../out\n"),
        ("Docusaurus", "docusaurus.config.js", "module.exports = {docs: {path: '../out'}}\n"),
    ):
        place = tmp_path / config
        write_pages(place, {name: text, **pages("a.md")})
        with pytest.raises(SourceError, match="outside of the given one"):
            shelf.plan(place)
    toc = "format: jb-book\nroot: a\nchapters:\n- file: ../secret\n- glob: ../*\n- file: /etc/hosts\n- file: s\n"
    layout = shelf.plan(write_pages(root, {"_toc.yml": toc, **pages("a.md")}))
    assert names(layout) == ["a.md"]
    assert reasons(layout)["../secret"] == "its link leaves the book: ../secret"
    (root / "s.md").symlink_to(tmp_path / "secret.md")
    assert names(shelf.plan(root)) == ["a.md"]
    sphinx = tmp_path / "sphinx"
    write_pages(
        sphinx, {"conf.py": "project = 'A'\n", "index.md": "# A\n\n:::{toctree}\n../secret\n/../secret\nb\n:::\n"}
    )
    (sphinx / "b.rst").symlink_to(tmp_path / "out" / "index.rst")
    assert names(shelf.plan(sphinx)) == ["index.md"]
    linked = write_pages(tmp_path / "linked", pages("a.md"))
    for name in ("mkdocs.yml", "_config.yml", "conf.py", "book.toml"):
        (linked / name).symlink_to(tmp_path / "MkDocs" / "mkdocs.yml")
    (linked / "src").symlink_to(tmp_path / "out")
    assert (shelf.plan(linked).kind, names(shelf.plan(linked))) == ("folder", ["a.md"])


HOSTILE = {
    "a long nav": ("mkdocs.yml", "nav:\n" + "".join(f"- p{n}.md\n" for n in range(100_000))),
    "a deep nav": ("mkdocs.yml", "nav:\n" + "".join(" " * n + "- a:\n" for n in range(400))),
    "brackets": ("mkdocs.yml", "nav: " + "[" * 50_000),
    "aliases": ("mkdocs.yml", "a: &a [x]\nnav: [*a, *a]\n"),
    "no YAML": ("_quarto.yml", "book: ]\n"),
    "no table": ("mkdocs.yml", "- a\n"),
    "Python": ("mkdocs.yml", "docs_dir: ../../..\nsite_name: !!python/object/apply:os.getcwd []\n"),
    "deep sections": (
        "_toc.yml",
        "".join("  " * n + f"- file: f{n}\n" + "  " * n + "  sections:\n" for n in range(60)),
    ),
    "patterns": ("_toc.yml", "".join("- glob: a/*\n" for _ in range(200))),
    "a long toctree": ("index.md", "```{toctree}\n" + "".join(f"p{n}\n" for n in range(100_000)) + "```\n"),
    "a repeated toctree": ("index.md", "```{toctree}\n" + "a\n" * 1_000_000 + "```\n"),
    "a long SUMMARY.md": ("SUMMARY.md", "".join(f"- [a](p{n}.md)\n" for n in range(100_000))),
    "a long program": ("docusaurus.config.js", "docs: {path: " * 100_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_configuration_ends_quickly(shelf: Shelf, root: Path, name: str) -> None:
    file, text = HOSTILE[name]
    write_pages(root, {file: text, **pages("a.md", "docs/a.md"), "conf.py": "project = 'A'\n"})
    with without_hanging(), pytest.raises(SourceError) as caught:
        shelf.plan(root)
    assert caught.value.where and len(str(caught.value)) < 500


def test_a_broken_configuration_is_no_matter_when_another_folder_is_chosen(shelf: Shelf, root: Path) -> None:
    write_pages(root, {"mkdocs.yml": "nav: ]\n", "book/SUMMARY.md": "[A](a.md)\n", **pages("book/a.md", "docs/b.md")})
    for site in (None, "."):
        with pytest.raises(SourceError, match=r"mkdocs.yml: is not YAML .* in line 1 \(--site"):
            shelf.plan(root, site)
    assert (shelf.plan(root, "book").kind, names(shelf.plan(root, "book"))) == ("mdbook", ["book/a.md"])
    assert (shelf.plan(root, "docs").kind, names(shelf.plan(root, "docs"))) == ("folder", ["docs/b.md"])


def test_a_page_that_is_named_often_is_read_once(shelf: Shelf, root: Path) -> None:
    nav = "nav:\n" + "- a.md\n" * 5_000 + f"- '{'*' * 5_000}'\n- {'x' * 5_000}.md\n"
    write_pages(root, {"mkdocs.yml": nav, "docs/a.md": "# A\n\n" + "*b* " * 20_000})
    with without_hanging():
        layout = shelf.plan(root)
    assert names(layout) == ["docs/a.md"]
    assert all(len(entry.relative) <= 500 and len(entry.reason) <= 500 for entry in layout.left_out)


def test_toctrees_in_a_circle_and_in_a_chain(shelf: Shelf, root: Path) -> None:
    toctree = "# {0}\n\n```{{toctree}}\n{0}\n{1}\nindex\n```\n"
    files = {
        "conf.py": "project = 'A'\n",
        "index.md": toctree.format("index", "b"),
        "b.md": toctree.format("b", "index"),
    }
    assert names(shelf.plan(write_pages(root, files))) == ["index.md", "b.md"]
    write_pages(
        root,
        {"b.md": toctree.format("b", "c0"), **{f"c{n}.md": toctree.format(f"c{n}", f"c{n + 1}") for n in range(60)}},
    )
    with pytest.raises(SourceError, match="more than 32 deep"):
        shelf.plan(root)


def test_many_configurations_are_refused(shelf: Shelf, root: Path) -> None:
    files = {f"b{n}/mkdocs.yml": "site_name: A\n" for n in range(30)} | pages(*(f"b{n}/docs/a.md" for n in range(30)))
    with pytest.raises(SourceError, match="more than 12 configurations"):
        shelf.plan(write_pages(root, files))


def test_titles_of_a_configuration_are_made_printable(shelf: Shelf, root: Path) -> None:
    long = json.dumps("Ro\x1b[31mbots\u202e " + "x" * 400)
    layout = shelf.plan(write_pages(root, {"mkdocs.yml": f"site_name: {long}\n", **pages("docs/a.md")}))
    assert layout.title and layout.title.startswith("Ro[31mbots x") and len(layout.title) == 255
    shelf.add(layout)
