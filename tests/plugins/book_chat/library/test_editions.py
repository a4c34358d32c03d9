"""Which of two editions is the newer one."""

from __future__ import annotations

import pytest

from ragstone.plugins.book_chat.library.editions import edition_order


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
def test_the_newer_edition(older: str, newer: str) -> None:
    assert edition_order(older) < edition_order(newer)
