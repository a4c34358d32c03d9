from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.plugins.book_chat import Shelf

if TYPE_CHECKING:
    from pathlib import Path

    from ragstone.core import Host


def test_every_kind_of_block_as_the_page_of_a_citation_shows_it(fast_host: Host, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# Title\n\nWords.\n\n1\\. May\n\n- one\n- two\n  - inner\n\n3. three\n\n```python\nx = 1\n```\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"
        "> said\n\n> [!WARNING] Hot\n> Do not touch.\n\nFigure: A robot.\n"
    )
    shelf = Shelf(fast_host)
    report = shelf.add(shelf.plan(tmp_path / "a.md"))
    node = shelf.corpus.contents.document_nodes(f"{report.book}:a.md")[0]
    blocks = shelf.source_page(node.node_id).blocks
    assert [(block.kind, block.text, block.info) for block in blocks] == [
        ("heading", "Title", ""),
        ("paragraph", "Words.", ""),
        ("paragraph", "1. May", ""),
        ("list_item", "one", ""),
        ("list_item", "two\n- inner", ""),
        ("list_item", "three", "ordered"),
        ("code", "x = 1", "python"),
        ("table", "| a | b |\n| --- | --- |\n| 1 | 2 |", ""),
        ("quote", "said", ""),
        ("admonition", "Hot\nDo not touch.", "warning"),
        ("figure", "Figure: A robot.", ""),
    ]
    assert [block.level for block in blocks[:4]] == [1, 0, 0, 1]
