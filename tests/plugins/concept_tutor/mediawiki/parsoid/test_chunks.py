"""Chunks: so many words, whole sentences, one section each, from all over the page."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from pydantic import ValidationError

from ragstone.core.text import unpack_kinds
from tests.support.needs import needed
from tests.support.patience import grows_linearly

from .pages import (
    PAGES,
    Block,
    Page,
    PageSettings,
    ParsoidNodeParser,
    Section,
    chunks,
    document_of,
    fetched,
    page,
    read,
)

needed("lxml")


def sentences(count: int, words: int = 10, start: int = 0) -> str:
    return " ".join(
        f"Sentence {number} has " + "word " * (words - 4) + "here." for number in range(start, start + count)
    )


def made(*sections: tuple[str, Sequence[str]]) -> list[TextNode]:
    parts = tuple(
        Section((name,) if name else (), name, tuple(Block("paragraph", text) for text in texts))
        for name, texts in sections
    )
    return texts_of(chunks(Page(parts)))


def texts_of(nodes: Sequence[BaseNode]) -> list[TextNode]:
    assert all(isinstance(node, TextNode) for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


@pytest.mark.parametrize("count", [3, 10, 20, 25, 26, 30, 31, 40, 100])
def test_words_and_ends_of_sentences(count: int) -> None:
    nodes = made(("A", [sentences(count)]))
    sizes = [len(node.text.split()) for node in nodes]
    assert sum(sizes) == count * 10
    assert all(size <= 250 for size in sizes)
    assert all(size >= 150 for size in sizes) or count * 10 < 300
    assert all(node.text.endswith("here.") and node.text.startswith("Sentence") for node in nodes)


def test_never_across_sections_and_never_below_thirty_words() -> None:
    nodes = made(("", [sentences(5)]), ("B", [sentences(2)]), ("C", ["Short words.", sentences(4)]))
    assert [node.metadata["heading"] for node in nodes] == ["", "C"]
    assert nodes[1].text.startswith("Short words.\n\nSentence 0")


def test_a_cut_falls_between_paragraphs_where_it_can() -> None:
    nodes = made(("A", [sentences(16), sentences(17, start=16)]))
    assert [len(node.text.split()) for node in nodes] == [160, 170]


def test_what_a_colon_announces_stays_with_it() -> None:
    nodes = made(("A", [sentences(15), "The following things are known of it:", sentences(18)]))
    assert nodes[1].text.startswith("The following things")


@pytest.mark.parametrize("text", ["word " * 3000, "one/" * 600, "字" * 9000, "x" * 20000, "سؤال؟ " * 2000])
def test_a_sentence_without_end_is_cut_all_the_same(text: str) -> None:
    nodes = made(("A", [text.strip()]))
    assert all(node.metadata["words"] <= 250 for node in nodes)
    assert len(re.sub(r"\s", "", "".join(node.text for node in nodes))) >= len(re.sub(r"\s", "", text)) * 0.95


def test_every_chunk_says_where_it_is_from() -> None:
    about = fetched("C & D/é", url="https://de.wikibooks.org", revision="12", language="de")
    section = Section(("Main", 'Odd "part"'), 'Odd_"part"<x>', (Block("paragraph", sentences(5)),))
    document = document_of(Page((section,)), about)
    [node] = texts_of(ParsoidNodeParser().get_nodes_from_documents([document]))
    assert node.metadata == {
        "page_title": "C & D/é",
        "url": "https://de.wikibooks.org/wiki/C_&_D/%C3%A9#Odd_%22part%22%3Cx%3E",
        "heading": 'Main › Odd "part"',
        "section": "Main",
        "revision": "12",
        "licence": "CC BY-SA 4.0",
        "retrieved_at": "2026-11-01T12:30:00+00:00",
        "language": "de",
        "direction": "",
        "categories": [],
        "words": 50,
    }
    assert document.text[node.start_char_idx : node.end_char_idx] == node.text
    assert node.ref_doc_id == document.doc_id
    spoken = node.get_content(metadata_mode=MetadataMode.EMBED)
    assert spoken.startswith('C & D/é › Main › Odd "part"\n\nSentence 0')
    assert "CC BY" not in spoken


@pytest.mark.data
@pytest.mark.parametrize("name", PAGES)
def test_chunks_of_real_pages(name: str) -> None:
    document = document_of(page(name), fetched())
    nodes = texts_of(ParsoidNodeParser().get_nodes_from_documents([document]))
    least = {True: 30, False: 8}  # a page's lead is kept however short it is
    assert all(least[bool(node.metadata["section"])] <= node.metadata["words"] <= 260 for node in nodes)
    assert all(document.text[node.start_char_idx : node.end_char_idx] == node.text for node in nodes)
    assert all("\n#" not in node.text for node in nodes)
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert [n.node_id for n in ParsoidNodeParser().get_nodes_from_documents([document])] == [n.node_id for n in nodes]


@pytest.mark.parametrize("part", ["! ", "A. ", "- \n", "Why? ", "."])
@pytest.mark.parametrize("kind", ["paragraph", "list"])
def test_a_page_of_nothing_but_seams_takes_linear_time(kind: str, part: str) -> None:
    def cut(size: int) -> None:
        block = Block(kind, f"{part * size}end".strip())
        for node in chunks(Page((Section((), "", (block,)),))):
            assert 30 <= node.metadata["words"] <= 250

    assert grows_linearly(cut, 8000)


def test_the_document_keeps_the_headings_between() -> None:
    page = Page((Section(("A", "B"), "B", (Block("paragraph", "x"),)), Section(("A",), "A", (Block("quote", "> y"),))))
    document = document_of(page, fetched())
    assert document.text == "## A\n\n### B\n\nx\n\n## A\n\n> y"
    assert [document.text[b[1] : b[2]] for each in document.metadata["sections"] for b in each["blocks"]] == [
        "x",
        "> y",
    ]


def test_settings() -> None:
    settings = PageSettings(max_words=300)
    assert ParsoidNodeParser.from_settings(settings).max_words == 300
    assert "max=300" in ParsoidNodeParser.from_settings(settings).fingerprint
    with pytest.raises(ValidationError, match="must not fall"):
        PageSettings(min_words=400)
    with pytest.raises(ValidationError, match="must not fall"):
        ParsoidNodeParser(shortest=200)


def test_captions_and_lists_of_terms_are_of_their_kind() -> None:
    body = (
        f"<p>{sentences(6)}</p><figure><figcaption>A wolf in snow looks at a moose and runs.</figcaption></figure>"
        "<dl><dt>Alpha</dt><dd>The first wolf of a pack, which leads it.</dd></dl>"
    )
    (node,) = texts_of(chunks(read(body)))
    assert {kind: node.text[start:end] for start, end, kind in unpack_kinds(node.metadata["kinds"])} == {
        "caption": "A wolf in snow looks at a moose and runs.",
        "definition": "- Alpha: The first wolf of a pack, which leads it.",
    }
    (plain,) = made(("A", [sentences(6)]))
    assert "kinds" not in plain.metadata
