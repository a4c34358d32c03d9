"""Which of two editions is the newer one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core import Host
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import write_pages


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("First Edition", "Second Edition"),
        ("2nd edition", "10th edition"),
        ("0.13", "1.0"),
        ("1.0.0-rc4", "1.0.1"),
        ("1.0 draft", "1.0"),
        ("2019", "2024"),
        ("Preview", "First Edition"),
    ],
)
def test_the_newer_edition_answers(fast_host: Host, tmp_path: Path, older: str, newer: str) -> None:
    shelf = Shelf(fast_host)
    layout = shelf.plan(write_pages(tmp_path / "book", {"a.md": "# Wheels\n\nA caster is a wheel that swivels.\n"}))
    for edition in (newer, older):
        shelf.add(layout, title="Wheels", edition=edition)
    (citation,) = fast_host.assistant("book_chat").ask("What is a caster?").citations
    assert citation.fields["edition"] == newer
