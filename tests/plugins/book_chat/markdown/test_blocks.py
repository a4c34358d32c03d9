from __future__ import annotations

from pathlib import Path

from lxml.html import HtmlElement, fromstring

from ragstone.core import Host
from ragstone.plugins.book_chat import Shelf
from ragstone.web import create_app


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


def test_the_page_of_a_citation(fast_host: Host, tmp_path: Path) -> None:
    """Lists stay together and the chunk apart; the way to the section names nothing twice."""
    long = [
        " ".join(f"Part {number}, sentence {each}, {'word ' * 25}ends." for each in range(10)) for number in range(3)
    ]
    (tmp_path / "a.md").write_text(
        "# One\n\nWords.\n\n## Two\n\n### Three\n\n- a\n- b\n\n1. c\n2. d\n\n" + "\n\n".join(long)
    )
    shelf = Shelf(fast_host)
    report = shelf.add(shelf.plan(tmp_path / "a.md"), title="Numbers")
    nodes = shelf.corpus.contents.document_nodes(f"{report.book}:a.md")
    client = create_app(fast_host).test_client()

    def page(at: int) -> HtmlElement:
        return fromstring(client.get(f"/book_chat/source/{nodes[at].node_id}").text)

    def tags(at: int) -> tuple[list[str], list[str]]:
        (text,) = page(at).cssselect(".page-text")
        (passage,) = text.cssselect(".passage-text")
        return [each.tag for each in text], [each.tag for each in passage]

    assert tags(1) == (["section", "p", "p"], ["ul", "ol", "p"])
    assert tags(-1) == (["ul", "ol", "p", "section"], ["p", "p"])
    assert [len(each) for each in page(1).cssselect(".page-text ul, .page-text ol")] == [2, 2]
    ways = [[step.text_content().strip() for step in page(at).cssselect(".crumbs li")] for at in (0, -1)]
    assert ways == [["Books", "Numbers", "One"], ["Books", "Numbers", "One", "Two", "Three"]]
