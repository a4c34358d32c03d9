"""Which chunks of pages a concept gets: relevance by words, and selection from all over a page."""

from __future__ import annotations

import re

import pytest
from llama_index.core.schema import TextNode

from ragstone.plugins.concept_tutor.plans.gathering.relevance import (
    pages_about,
    select,
    word_relevance,
)
from tests.plugins.concept_tutor.mediawiki.parsoid.pages import chunks, page
from tests.support.needs import needed

needed("lxml")


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


def test_a_page_that_speaks_of_the_concept_only_in_passing_is_not_taken() -> None:
    acid = [_node("Acids donate protons.", "Acid")]
    passing = [_node("It is an end. Folic acid matters.", "Abortion"), *[_node("It is a procedure.", "Abortion")] * 3]
    heading = [_node("It is a procedure.", "Chemistry"), _node("They are sour.", "Chemistry", "Acids")]
    opening = [_node("The oxoacid, an acid, has oxygen.", "Oxo compounds")]
    assert pages_about("Acid", [passing, acid]) == [acid]
    assert pages_about("Acid", [passing, heading, opening, []]) == [heading, opening]
    economy, mission = ([_node("Words.", title)] for title in ("Economy of Apollo", "Apollo 11"))
    assert pages_about("Apollo", [[_node("A god.", "Apollo")], economy, mission])[1:] == [economy]


def test_a_concept_of_stop_words_or_of_nothing_fails_nowhere() -> None:
    node = _node("To be, or not to be.")
    assert word_relevance("Not", [node]) == [0]
    assert word_relevance("", [node]) == [0]
    assert word_relevance("الوسيط", [_node("الوسيط هو القيمة الوسطى.")])[0] > 0
    assert word_relevance("median", []) == []


# Selection


def _scores(concept: str, nodes: list[TextNode]) -> dict[str, float]:
    return dict(zip((node.node_id for node in nodes), word_relevance(concept, nodes), strict=True))


def _dog() -> list[TextNode]:
    return [node for node in chunks(page("Dog.html")) if isinstance(node, TextNode)]


@pytest.mark.data
def test_dog_is_chosen_from_all_over_the_page() -> None:
    nodes = _dog()
    assert len({node.metadata["url"] for node in nodes}) >= 30
    for most, least in ((6, 6), (8, 8), (14, 12)):
        chosen = select(nodes, _scores("dog", nodes), most)
        assert len(chosen) == most
        assert len({node.metadata["url"] for node in chosen}) >= least
        places = [nodes.index(node) for node in chosen]
        assert places == sorted(places)
        assert places[-1] > len(nodes) * 0.6
    assert not any(re.search(r"\[\d+\]", node.text) for node in nodes)


@pytest.mark.data
def test_what_the_concept_is_about_is_chosen() -> None:
    nodes = _dog()
    chosen = select(nodes, _scores("sense of smell of dogs", nodes), 6)
    assert any(node.metadata["url"].endswith("#Senses") for node in chosen)
    assert len({node.metadata["url"] for node in chosen}) >= 5


def test_relevance_beats_the_spread_where_it_is_great() -> None:
    nodes = [
        TextNode(text=str(number), metadata={"page_title": "P", "url": f"u{number // 4}", "section": f"{number // 8}"})
        for number in range(16)
    ]
    scores = {node.node_id: float(node.text in {"4", "5"}) for node in nodes}
    assert {"4", "5"} <= {node.text for node in select(nodes, scores, 3)}
    assert select(nodes, scores, 0) == []


def test_caps_of_page_and_concept() -> None:
    pages = [
        [TextNode(text=f"{title}{n}", metadata={"page_title": title, "url": f"{title}{n}"}) for n in range(9)]
        for title in "ab"
    ]
    scores = {node.node_id: 1.0 for page_ in pages for node in page_}
    chosen = [node for page_ in pages for node in select(page_, scores, 6)]
    assert len(chosen) == 12
    assert {node.metadata["page_title"] for node in select(chosen, scores, 8)} == {"a", "b"}
