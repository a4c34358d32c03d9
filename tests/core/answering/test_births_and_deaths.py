"""When and where someone was born or died."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.schema import Document, NodeWithScore, TextNode

from ragstone.core.answering.extractive import choose
from ragstone.core.retrieval import HybridRetriever, Retrieval, judge, weigh_evidence
from ragstone.core.testing import open_host
from ragstone.core.text import question_stems

DATES = "Ada Berta Reed (3 May 1805 – 9 June 1877) was a painter."
BORN = "Reed was born in Lund on 3 May 1805."
SISTER = "Clara Reed was born in Bergen in 1809."
SON = "In 1830 her first son, Otto Ada Reed, was born in Bergen."


def _retrieval(question: str, text: str, title: str = "") -> Retrieval:
    node = TextNode(id_="n", text=text, metadata={"title": title} if title else {}, metadata_template="{value}")
    return Retrieval(question, (NodeWithScore(node=node, score=1.0),), {}, dict.fromkeys(question_stems(question), 2.0))


def _texts(question: str, text: str, title: str = "") -> list[str]:
    return [quote.text for quote in choose(_retrieval(question, text, title))]


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        ("When was Ada Reed born?", f"{SISTER} {SON} {BORN}", BORN),
        ("When was Ada Reed born?", f"{SISTER} {DATES} {SON}", DATES),
        ("when was ada reed born", f"{SISTER} {DATES}", DATES),
        ("In which year did Ada Reed die?", f"Clara Reed died in 1850. {DATES}", DATES),
        (
            "When did Ada Reed die?",
            "Ada Reed (born 1805) left. Her mother died in 1807. Reed died in 1877.",
            "Reed died in 1877.",
        ),
        ("Where was Ada Reed born?", f"{DATES} {SISTER} {BORN}", BORN),
        ("Where was Ada Reed born?", f"{SON} Born in Lund, Ada Reed left it soon.", "left it soon."),
        ("Where did Ada Reed die?", "Ada’s brother died in Bergen. She died in Lund.", "She died in Lund."),
        (
            "Where was Ada Reed buried?",
            "Clara Reed was buried in Bergen. Ada Reed was buried in Lund.",
            "buried in Lund.",
        ),
        ("Where did Ada Reed die?", f"{SISTER} The eldest daughter, Ada Reed, died in Lund.", "died in Lund."),
        ("How did Ada Reed die?", "In the Book of the Danes Ada Reed died of cold. He died.", "died of cold."),
        ("When was General Reed born?", "Clara Reed was born in 1809. General Reed was born in 1805.", "born in 1805."),
    ],
)
def test_a_birth_or_death_is_that_of_the_person_who_is_asked_for(question: str, text: str, first: str) -> None:
    assert _texts(question, text)[0].endswith(first)


def test_no_other_persons_birth_is_added_to_the_dates() -> None:
    assert _texts("When was Ada Reed born?", f"{SISTER} {DATES} {SON}") == [DATES]


def test_in_the_persons_own_text_another_name_may_be_hers() -> None:
    text = "Mother Clara lived in Oslo. Dahlia was born in Lund in 1805."
    assert _texts("Where was Ada Reed born?", text, "Ada Reed")[0] == "Dahlia was born in Lund in 1805."


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("When did Ada Reed die?", DATES, "answered"),
        ("When did Ada Reed die?", "Ada Berta Reed (born 3 May 1805) was a painter.", "closest"),
        ("When did Ada Reed die?", "Clara Reed (3 May 1805 – 9 June 1877) was a painter.", "closest"),
        ("When was Ada Reed buried?", DATES, "closest"),
        ("Where was Ada Reed trained?", "Ada Reed came to Lund in 1850 as a teacher in Bergen.", "closest"),
        ("Where was Ada Reed trained?", "Ada Reed trained as a teacher in Bergen.", "answered"),
        ("When was Ada Reed crowned?", DATES, "closest"),
        ("When was folk jazz born?", "In Lund it is said that folk jazz was born in 1805.", "answered"),
        ("How was jazz born?", "In Lund jazz, they say, came to be born of marches.", "answered"),
    ],
)
def test_the_dates_behind_a_name_say_when(question: str, text: str, verdict: str) -> None:
    found = _retrieval(question, text, "Painters Ada Reed")
    assert judge(weigh_evidence(found), found) == verdict


def test_the_sentence_with_the_dates_is_found_behind_others_of_the_same_words(tmp_path: Path) -> None:
    others = [f"Reed's friend number {at} died. When Ada Reed heard it, Ada Reed wept. Did she?" for at in range(12)]
    with open_host(tmp_path) as host:
        corpus = host.corpus("people", kind="article")
        corpus.ingest([Document(id_=str(at), text=text) for at, text in enumerate([*others, DATES])])
        found = HybridRetriever(corpus, top_k=3).search("When did Ada Reed die?")
        assert DATES in [each.node.get_content() for each in found.nodes]
        assert choose(found)[0].text == DATES
        where = HybridRetriever(corpus, top_k=3).search("Where did Ada Reed die?")
        assert DATES not in [each.node.get_content() for each in where.nodes]
