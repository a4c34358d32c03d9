"""``book.toml``: what a book's owner says of it wins over what is found out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import Host, SourceError
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.book_chat.library.manifest import Manifest, owner_kind, read_manifest, section_simulation
from tests.support.third_party_fakes import write_pages

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.parametrize(
    ("relative", "url"),
    [
        ("a/b c.md", "https://x.example/a/b%20c.html"),
        ("README.md", "https://x.example/index.html"),
        ("a/index.md", "https://x.example/a/index.html"),
        ("book.pdf", None),
    ],
)
def test_where_a_page_is_published(relative: str, url: str | None) -> None:
    assert Manifest(url="https://x.example").url_of(relative) == url


def test_the_nearest_word_on_a_section_counts() -> None:
    output = {"": True, "A › B": False, "B › C": True}
    assert section_simulation(output, ["A", "B"]) is False
    assert section_simulation(output, ["A", "B", "C"]) is True
    assert section_simulation(output, ["D"]) is True
    assert section_simulation({}, ["D"]) is None


def test_the_nearest_heading_says_the_kind_then_the_file() -> None:
    kinds = Manifest(kinds={"Try it*": "question", "A › FAQ": "explanation", "appendix/*": "reference"})
    stated = kinds.kinds_in("appendix/a.md")
    assert owner_kind(stated, ["A", "Try It at home"]) == "question"
    assert owner_kind(stated, ["A", "Try it", "FAQ"]) == "question"
    assert owner_kind(stated, ["Try it", "A", "FAQ"]) == "question"
    assert owner_kind(stated, ["A", "FAQ"]) == "explanation"
    assert owner_kind(stated, ["B"]) == "reference"
    assert owner_kind(kinds.kinds_in("a.md"), ["B"]) is None


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
def test_what_is_wrong_is_reported(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "book.toml").write_text(text, "utf-8")
    with pytest.raises(SourceError, match=message):
        read_manifest(tmp_path)
