from __future__ import annotations

import pytest

from ragstone.plugins.book_chat import ShownBlock
from ragstone.plugins.book_chat.pages.chat import breadcrumbs, grouped


def block(kind: str, text: str = "", *, info: str = "", inside: bool = False) -> ShownBlock:
    return ShownBlock(kind, 1, text, info, (), inside)  # type: ignore[arg-type]


def test_lists_stay_together_and_the_chunk_apart() -> None:
    shown = (
        block("paragraph"),
        block("list_item"),
        block("list_item", inside=True),
        block("list_item", inside=True),
        block("list_item", info="ordered", inside=True),
        block("paragraph", inside=True),
        block("paragraph", inside=True),
        block("code"),
    )
    found = [(inside, [(part.kind, len(part.blocks)) for part in parts]) for inside, parts in grouped(shown)]
    assert found == [
        (False, [("paragraph", 1), ("ul", 1)]),
        (True, [("ul", 2), ("ol", 1), ("paragraph", 1), ("paragraph", 1)]),
        (False, [("code", 1)]),
    ]


@pytest.mark.parametrize(
    ("chapter", "section", "trail"),
    [
        ("One", "Two \u203a Three", ("One", "Two", "Three")),
        ("One", "One", ("One",)),
        ("One", "", ("One",)),
        ("", "", ()),
    ],
)
def test_the_way_to_a_section(chapter: str, section: str, trail: tuple[str, ...]) -> None:
    assert breadcrumbs(chapter, section) == trail
