"""What a passage says of a concept, by its words."""

from __future__ import annotations

from llama_index.core.schema import TextNode

from ragstone.plugins.concept_tutor.mediawiki.gathering.relevance import word_relevance


def _node(text: str, title: str = "Statistics", heading: str = "") -> TextNode:
    metadata = {"page_title": title, "heading": heading, "section": heading, "url": "u"}
    return TextNode(text=text, metadata=metadata, excluded_embed_metadata_keys=["section", "url"])


def test_the_lead_of_a_page_of_that_name_comes_first() -> None:
    lead = _node("Gradient descent is a method of optimisation.", "Gradient descent")
    below = _node("Gradient descent is slow in narrow valleys.", "Gradient descent", "Drawbacks")
    elsewhere = _node("Gradient descent is one of many methods.", "Optimisation")
    scores = word_relevance("gradient descent", [elsewhere, below, lead])
    assert scores == sorted(scores)
    assert all(0 < score <= 1 for score in scores)


def test_more_reported_is_worth_more() -> None:
    once, often = _node("The median is robust."), _node("The median, a median, any median: medians are robust.")
    assert word_relevance("Median", [once, often])[0] < word_relevance("Median", [once, often])[1]


def test_headings_count_and_half_of_the_words_must_be_there() -> None:
    under, away, half = (
        _node("It is the square root.", heading="Standard deviation"),
        _node("The standard of living rose."),
        _node("A standard candle is a source of light."),
    )
    scores = word_relevance("standard deviation of samples", [under, away, half])
    assert scores[0] > 0
    assert scores[1:] == [0, 0]


def test_a_concept_of_stop_words_or_of_nothing_fails_nowhere() -> None:
    node = _node("To be, or not to be.")
    assert word_relevance("Not", [node]) == [0]
    assert word_relevance("", [node]) == [0]
    assert word_relevance("الوسيط", [_node("الوسيط هو القيمة الوسطى.")])[0] > 0
    assert word_relevance("median", []) == []
