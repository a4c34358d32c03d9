"""Questions about the versions that are the headings of release notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf

_NOTES = f"""# Anchor

What is new in each version of Anchor.

## [2.10.0] - 2025-04-09

### Added

- Chains can be painted.
- A rope may have knots.

### Removed

- The wooden shank went.

### Bug fixes

- The winch stops at its end.

## 2.9.1 (3 March 2025)

The crown no longer rusts in salt water.

## Anchor v2.9

The first version with a swivel.

## 1.{"9" * 5_000}

A number with too many digits is no version.
"""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("notes")
    with open_host(folder) as host:
        _add(host, folder, _NOTES)
        yield host


def _add(host: Host, folder: Path, text: str) -> None:
    (folder / "notes.md").write_text(text, "utf-8")
    shelf = Shelf(host)
    shelf.add(shelf.plan(folder / "notes.md"))


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        (
            "What is new in 2.10?",
            "From “[2.10.0] - 2025-04-09”:\n\nChains can be painted. [1] A rope may have knots. [1]",
        ),
        ("What was added in version 2.10.0?", "From “[2.10.0] - 2025-04-09”:\n\nChains can be painted. [1]"),
        ("What was removed in 2.10?", "From “[2.10.0] - 2025-04-09”:\n\nThe wooden shank went. [1]"),
        ("What are the bug fixes in the latest version?", "From “[2.10.0] - 2025-04-09”:\n\nThe winch stops"),
        ("Whats changed in Anchor 2.9.1?", "From “2.9.1 (3 March 2025)”:\n\nThe crown no longer rusts"),
        ("When was 2.9.1 released?", "The heading is “2.9.1 (3 March 2025)”. The crown"),
        ("What was the last release?", "The heading is “[2.10.0] - 2025-04-09”."),
        ("What was the first version of Anchor?", "The heading is “Anchor v2.9”."),
        (
            "Which versions are there?",
            "The text has 3 versions: [2.10.0] - 2025-04-09; 2.9.1 (3 March 2025); Anchor v2.9.",
        ),
    ],
)
def test_a_version_is_found_by_its_heading(notes: Host, question: str, begins: str) -> None:
    answer = notes.assistant("book_chat").ask(question)
    assert not answer.refused
    assert " ".join(answer.text.split()).startswith(" ".join(begins.split()))


@pytest.mark.parametrize(
    "question",
    [
        "When was 2.9 released?",  # its heading has no date
        "What was deprecated in 2.10?",
        "What is new in 3.0?",
        "When was 2.9.2 released?",
        "What is the latest gossip?",
    ],
)
def test_what_no_heading_says_is_not_taken_from_one(notes: Host, question: str) -> None:
    text = notes.assistant("book_chat").ask(question).text
    assert "The heading is" not in text
    assert "From “" not in text


def test_the_numbers_of_sections_are_no_versions(fast_host: Host, tmp_path: Path) -> None:
    _add(fast_host, tmp_path, "# Anchors\n\n## 1.1 Shank\n\nA shank is long.\n\n## 1.2 Crown\n\nA crown is short.\n")
    assert "1.2" not in fast_host.assistant("book_chat").ask("What is the latest version?").text


def test_other_questions_do_not_read_the_whole_book(notes: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def nodes_in_order(_corpus: object, slug: str) -> list[object]:
        read.append(slug)
        return []

    monkeypatch.setattr("ragstone.plugins.book_chat.overview.nodes_in_order", nodes_in_order)
    assistant = notes.assistant("book_chat")
    assistant.ask("Where does the crown no longer rust?")
    assert not read
    assistant.ask("What is new in 2.9.1?")
    assert read
