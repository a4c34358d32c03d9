"""``book.toml``: what a book's owner says of it wins over what is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core import Host, SourceError
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import write_pages

TOML = """
[book]
title = "mdBook's title"

[ragstone]
title = "Robots"
edition = "Third Edition"
licence = "CC BY 4.0"
url = "https://book.example/robots"

[ragstone.urls]
"02-arms.md" = "https://elsewhere.example/arms"

[ragstone.simulation]
"02-*" = true
"Wheels › Tyres" = true
"Wheels › Hubs" = false
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    pages = {
        "01-wheels.md": "# Wheels\n\n## Casters\n\nA caster swivels about a vertical axis.\n\n"
        "## Tyres\n\nTyres grip.\n\n## Hubs\n\nHubs turn.\n",
        "02-arms.md": "# Arms\n\nAn arm has joints that turn.\n",
        "book.toml": TOML,
    }
    return write_pages(tmp_path / "robots", pages)


def test_title_edition_licence_addresses_and_simulation(fast_host: Host, book: Path) -> None:
    shelf = Shelf(fast_host)
    report = shelf.add(shelf.plan(book))
    assert (report.title, report.edition) == ("Robots", "Third Edition")
    found = {}
    for name in ("01-wheels.md", "02-arms.md"):
        for node in shelf.corpus.contents.document_nodes(f"{report.book}:{name}"):
            known = node.metadata
            assert known["licence"] == "CC BY 4.0"
            assert "simulation" not in known
            found[known["section"]] = (known["url"], known["is_simulation"], known["setting"])
    wheels = "https://book.example/robots/01-wheels.html"
    assert found == {
        "Casters": (wheels, False, "general"),
        "Hubs": (wheels, False, "hardware"),
        "Tyres": (wheels, True, "simulation"),
        "Arms": ("https://elsewhere.example/arms", True, "simulation"),
    }
    citation = fast_host.assistant("book_chat").ask("What does a caster do about a vertical axis?").citations[0]
    assert (citation.url, citation.fields["licence"]) == (wheels, "CC BY 4.0")


def test_what_is_given_by_hand_wins(fast_host: Host, book: Path) -> None:
    shelf = Shelf(fast_host)
    report = shelf.add(shelf.plan(book), title="Mine", edition="First Edition")
    assert (report.title, report.edition) == ("Mine", "First Edition")


def metadata(host: Host, folder: Path, toml: str, pages: dict[str, str], name: str) -> dict[tuple[str, str], object]:
    """What the chunks of a book with that ``book.toml`` have below the name, by their file and section."""
    shelf = Shelf(host)
    report = shelf.add(shelf.plan(write_pages(folder / "book", {**pages, "book.toml": toml})))
    nodes = (node for page in pages for node in shelf.corpus.contents.document_nodes(f"{report.book}:{page}"))
    return {(node.metadata["path"], node.metadata["section"]): node.metadata.get(name) for node in nodes}


def test_where_a_page_is_published(fast_host: Host, tmp_path: Path) -> None:
    pages = dict.fromkeys(("a/b c.md", "README.md", "a/index.md"), "# X\n\nWords.\n")
    assert metadata(fast_host, tmp_path, "[ragstone]\nurl = 'https://x.example'", pages, "url") == {
        ("a/b c.md", "X"): "https://x.example/a/b%20c.html",
        ("README.md", "X"): "https://x.example/index.html",
        ("a/index.md", "X"): "https://x.example/a/index.html",
    }


SECTIONS = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## Try It at home\n\nd\n\n### FAQ\n\ne\n\n## FAQ\n\nf\n"


def test_the_nearest_word_on_a_section_counts(fast_host: Host, tmp_path: Path) -> None:
    toml = "[ragstone.simulation]\n'*' = true\n'A › B' = false\n'B › C' = true\n"
    found = metadata(fast_host, tmp_path, toml, {"a.md": SECTIONS}, "is_simulation")
    assert [section for (_, section), simulated in found.items() if not simulated] == ["B"]


def test_the_nearest_heading_says_the_kind_then_the_file(fast_host: Host, tmp_path: Path) -> None:
    toml = """[ragstone.kinds]
        'Try it*' = 'question'
        'A › FAQ' = 'explanation'
        'appendix/*' = 'reference'
        B = 'question'
        C = 'explanation'"""
    found = metadata(fast_host, tmp_path, toml, dict.fromkeys(("a.md", "appendix/a.md"), SECTIONS), "kinds")
    stated = dict.fromkeys(("B", "Try It at home", "Try It at home › FAQ"), "question:0-1")
    stated |= dict.fromkeys(("B › C", "FAQ"), "explanation:0-1")
    assert found == {
        ("a.md", "A"): None,
        ("appendix/a.md", "A"): "reference:0-1",
        **{(path, section): kind for path in ("a.md", "appendix/a.md") for section, kind in stated.items()},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[ragstone]\ntitel = 'x'\n", r"ragstone.titel: .*known: title, edition"),
        ("[ragstone]\nurl = 'javascript:alert(1)'\n", "is not an address of the web"),
        ("[ragstone.urls]\n'a.md' = '/etc/passwd'\n", "is not an address of the web"),
        ("[ragstone\n", "is not valid TOML"),
        ("[ragstone.simulation]\n'a' = 'perhaps'\n", r"ragstone.simulation.a: "),
        (
            "[ragstone.kinds]\n'Try it' = 'homework'\n",
            r"ragstone.kinds: .*'Try it' is 'homework', none of explanation, ",
        ),
        ("[ragstone.kinds]\n'Try it' = 1\n", r"ragstone.kinds: .*'Try it' is '1', none of explanation, "),
    ],
)
def test_what_is_wrong_is_reported(planning: Shelf, tmp_path: Path, text: str, message: str) -> None:
    layout = planning.plan(write_pages(tmp_path, {"book.toml": text, "a.md": "x"}))
    with pytest.raises(SourceError, match=message):
        planning.add(layout)
