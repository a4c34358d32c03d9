from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.plugins.book_chat.markdown.blocks import read_blocks

MARKUP = st.text(alphabet=st.sampled_from("#>-*+`~|:. \n\tab1[]()<!=\\\r"), max_size=200)


def kinds(text: str) -> list[str]:
    return [block.kind for block in read_blocks(text)]


def test_every_kind_of_block() -> None:
    text = (
        "# Title\n\nWords.\n\n- one\n- two\n  - inner\n\n3. three\n\n```python\nx = 1\n```\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"
        "> said\n\n> [!WARNING] Hot\n> Do not touch.\n\nFigure: A robot.\n"
    )
    blocks = read_blocks(text)
    assert [b.kind for b in blocks] == [
        "heading", "paragraph", "list_item", "list_item", "list_item",
        "code", "table", "quote", "admonition", "figure",
    ]  # fmt: skip
    assert [b.plain for b in blocks] == [
        "Title",
        "Words.",
        "one",
        "two\n- inner",
        "three",
        "x = 1",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "said",
        "Hot\nDo not touch.",
        "Figure: A robot.",
    ]
    assert [b.info for b in blocks] == ["", "", "", "", "ordered", "python", "", "", "warning", ""]
    assert [b.level for b in blocks[:3]] == [1, 0, 1]
    assert text[blocks[3].start : blocks[3].end] == "- two\n  - inner"


def test_tags_rules_and_definitions_are_words() -> None:
    assert kinds("<div>\nx\n\n[a]: b\n\nwords\n---\n") == ["paragraph", "paragraph", "paragraph"]


def test_an_escape_that_keeps_words_words_is_not_read_out() -> None:
    assert [b.plain for b in read_blocks("1\\. May\n\n\\# hash\n")] == ["1. May", "# hash"]


def test_nesting_past_the_limit_loses_nothing() -> None:
    text = "> " * 300 + "deep"
    assert "deep" in text[read_blocks(text)[0].start : read_blocks(text)[-1].end]


@given(st.one_of(st.text(max_size=200), MARKUP))
def test_blocks_cover_all_text_in_order(text: str) -> None:
    at = 0
    for block in read_blocks(text):
        assert not text[at : block.start].strip()
        assert at <= block.start < block.end
        at = block.end
    assert not text[at:].strip()


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff", "\x00", "\x0b"])
def test_next_to_nothing(text: str) -> None:
    assert len(read_blocks(text)) <= 1
