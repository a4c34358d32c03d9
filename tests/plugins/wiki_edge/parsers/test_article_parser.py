"""Chunks: of the right size, at the ends of paragraphs or sentences, and with every character of the article."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import Document

from ragstone.core import Encoder
from ragstone.core.testing import WordEmbedding
from ragstone.plugins.wiki_edge import ArticleNodeParser


def words(text: str) -> int:
    return len(text.split())


PARSER = ArticleNodeParser(count_tokens=words, min_tokens=20, max_tokens=40)


class Block(NamedTuple):
    text: str
    heading: str = ""
    anchor: str = ""


class Cut(NamedTuple):
    text: str
    tokens: int
    heading: str
    anchor: str


def article(blocks: Sequence[Block]) -> Document:
    """An article as its reader has it: the heading of a section above its first block."""
    text, sections, before = "", [], ""
    for block in blocks:
        if block.heading != before:
            sections.append([len(text), block.heading, block.anchor])
            text += block.heading.rpartition(" › ")[2] + "\n"
        text, before = f"{text}{block.text}\n\n", block.heading
    return Document(text=text.removesuffix("\n\n"), metadata={"sections": sections, "url": "x"})


def cut(blocks: Sequence[Block], parser: ArticleNodeParser = PARSER) -> list[Cut]:
    nodes = parser.get_nodes_from_documents([article(blocks)])
    texts = [node.get_content() for node in nodes]
    found = (node.metadata for node in nodes)
    headings = [(known.get("heading", ""), known["url"].partition("#")[2]) for known in found]
    counts = map(parser.count_tokens, texts)
    return [Cut(text, count, *place) for text, count, place in zip(texts, counts, headings, strict=True)]


def sentence(number: int, length: int) -> str:
    return " ".join([f"Word{number}", *[f"w{at}" for at in range(length - 1)]]) + "."


def paragraph(number: int, sentences: int, length: int) -> str:
    return " ".join(sentence(number * 100 + at, length) for at in range(sentences))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_a_short_article_is_one_chunk() -> None:
    (chunk,) = cut([Block("One two three."), Block("Four.", "Section", "Section")])
    assert chunk.text == "One two three.\n\nSection\nFour."
    assert (chunk.heading, chunk.anchor, chunk.tokens) == ("", "", 5)


def test_no_article_no_chunk() -> None:
    assert cut([]) == []


def test_paragraphs_stay_whole_where_they_fit() -> None:
    blocks = [Block(paragraph(number, 3, 5)) for number in range(6)]  # 15 words each
    chunks = cut(blocks)
    assert [chunk.text for chunk in chunks] == [
        "\n\n".join(block.text for block in blocks[at : at + 2]) for at in (0, 2, 4)
    ]


def test_a_chunk_ends_where_a_section_does() -> None:
    blocks = [
        Block(paragraph(1, 5, 5)),
        Block(paragraph(2, 2, 5), "History › Origins", "Origins"),
        Block(paragraph(3, 5, 5), "History › Origins", "Origins"),
    ]
    first, second = cut(blocks)
    assert (first.tokens, first.heading) == (25, "")
    assert second.text.startswith("Origins\nWord200 ")
    assert (second.heading, second.anchor) == ("History › Origins", "Origins")


def test_a_long_paragraph_ends_at_sentences() -> None:
    chunks = cut([Block(paragraph(1, 30, 7))])
    assert len(chunks) > 4
    for chunk in chunks:
        assert chunk.text.startswith("Word")
        assert chunk.text.endswith(".")
        assert 20 <= chunk.tokens <= 40


def test_a_short_tail_joins_the_one_before_or_evens_out() -> None:
    one = cut([Block(paragraph(1, 5, 6)), Block(paragraph(2, 1, 8))])
    assert [chunk.tokens for chunk in one] == [38]
    evened = cut([Block(paragraph(1, 9, 4)), Block(paragraph(2, 2, 4))])
    assert [chunk.tokens for chunk in evened] == [24, 20]


def test_a_text_without_spaces_or_sentences_is_cut() -> None:
    parser = ArticleNodeParser.of(Encoder(WordEmbedding()))
    chunks = cut([Block("x" * 100_000), Block("word " * 5000)], parser)
    assert all(chunk.tokens <= 1024 for chunk in chunks)
    assert squeezed("".join(chunk.text for chunk in chunks)) == "x" * 100_000 + "word" * 5000


@given(
    st.lists(
        st.tuples(st.integers(1, 12), st.integers(1, 15), st.sampled_from(["", "A", "A › B", "C"])),
        min_size=1,
        max_size=25,
    )
)
def test_sizes_hold_and_nothing_is_lost(shape: list[tuple[int, int, str]]) -> None:
    blocks = [Block(paragraph(at, sentences, length), heading) for at, (sentences, length, heading) in enumerate(shape)]
    chunks = cut(blocks)
    whole, before = "", ""
    for block in blocks:
        own = block.heading.rpartition(" › ")[2] if block.heading != before else ""
        whole, before = whole + own + block.text, block.heading
    assert squeezed("".join(chunk.text for chunk in chunks)) == squeezed(whole)
    assert all(chunk.tokens <= 40 for chunk in chunks)
    # With sentences of at most 15 words there is always a way, but for two that together are a little too long.
    assert sum(chunk.tokens < 20 for chunk in chunks) <= 1


def test_sentences() -> None:
    def sentences(text: str, most: int) -> list[str]:
        parser = ArticleNodeParser(count_tokens=len, min_tokens=most // 2, max_tokens=most)
        return [chunk.text for chunk in cut([Block(text)], parser)]

    text = 'Dr. A. Smith came. "Why?" he asked. It cost 3.5 km e.g. there. See No. 5 of it.'
    assert sentences(text, 27) == [
        "Dr. A. Smith came.",
        '"Why?" he asked.',
        "It cost 3.5 km e.g. there.",
        "See No. 5 of it.",
    ]
    assert sentences("東京は都市です。人口は多い。", 8) == ["東京は都市です。", "人口は多い。"]


def test_tokens_are_the_encoders(encoder: Encoder) -> None:
    count = ArticleNodeParser.of(encoder).count_tokens
    texts = ["A robot arm.", "", "unbelievably  supercalifragilistic", "Роботът е тук."]
    assert [*map(count, texts)] == [encoder.count_tokens(text) for text in texts]
    long = "A robot arm lifts a box. " * 20_000
    assert count(long) == encoder.count_tokens(long)
    assert count("x" * 16_000) == 1000  # one word piece to the encoder, but no chunk may be of that length
