"""The chunk that defines a term, where others use the term more often."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from llama_index.core.schema import Document, NodeWithScore, TextNode

from ragstone.core.answering.extractive import choose
from ragstone.core.retrieval import HybridRetriever, Retrieval, judge, weigh_evidence
from ragstone.core.retrieval.definitions import Subjects, best_definition, with_definitions
from ragstone.core.retrieval.fusion import Scores
from ragstone.core.retrieval.sentences import sentences_of
from ragstone.core.testing import open_host
from ragstone.core.text import pack, question_stems
from ragstone.core.text.definitions import defines, subject_of
from ragstone.core.text.persons import person_asked

DEFINITION = "Parts of a cart that turn are listed here. A caster is a small wheel that swivels."
USES = [
    f"Caster {number}: caster, caster and caster were ordered. The caster works. No caster broke."
    for number in range(12)
]


@pytest.mark.parametrize("question", ["What is a caster?", "caster", "Define caster."])
def test_the_definition_is_found_behind_chunks_that_use_the_term_more_often(tmp_path: Path, question: str) -> None:
    with open_host(tmp_path) as host:
        corpus = host.corpus("parts", kind="article")
        corpus.ingest([Document(id_=str(at), text=text) for at, text in enumerate([*USES, DEFINITION])])
        found = [each.node.get_content() for each in HybridRetriever(corpus, top_k=3).retrieve(question)]
        assert found[-1] == DEFINITION
        assert len(found) == 3
        others = HybridRetriever(corpus, top_k=3).retrieve("Which caster was ordered?")
        assert DEFINITION not in [each.node.get_content() for each in others]


def test_without_a_definition_the_section_of_the_term_is_found_and_code_defines_nothing(tmp_path: Path) -> None:
    """As in manuals, with a page for each command."""
    page = "For each cart put a wheel below it.\n\nCarts are counted."
    code = "```\n# caster :: puts wheels below carts\n# by A. Smith\n```\n"
    with open_host(tmp_path) as host:
        corpus = host.corpus("parts", kind="article")
        documents = [Document(id_=str(at), text=text) for at, text in enumerate([*USES, code])]
        titled = Document(id_="page", text=page, metadata={"title": "caster - puts wheels below carts"})
        corpus.ingest([*documents, titled])
        found = [each.node.get_content() for each in HybridRetriever(corpus, top_k=3).retrieve("What does caster do?")]
        assert found[-1].startswith("For each cart")


def test_a_books_title_in_a_list_of_references_is_no_definition(tmp_path: Path) -> None:
    books = "# Further reading\n\n1. Casters: A History of Wheels by A. Smith\n2. Caster: The Story, by B. Jones\n"
    with open_host(tmp_path) as host:
        corpus = host.corpus("parts", kind="article")
        documents = [Document(id_=str(at), text=text) for at, text in enumerate([*USES, DEFINITION])]
        corpus.ingest([*documents, Document(id_="books", text=books, metadata={"title": "Further reading"})])
        found = [each.node.get_content() for each in HybridRetriever(corpus, top_k=3).retrieve("What is a caster?")]
        assert found[-1] == DEFINITION


def test_the_sentence_that_begins_the_terms_own_article_comes_before_other_definitions(tmp_path: Path) -> None:
    """Also where what is between the term and its verb hides that it defines it, and another part has the term more."""
    lead = "Caster (often), also known as a swivel is a small wheel below a cart. Carts have four."
    uses = [f"{use} A caster is a kind of part." for use in USES]
    with open_host(tmp_path) as host:
        corpus = host.corpus("parts", kind="article")
        parts = [Document(id_=str(at), text=text, metadata={"title": "Carts"}) for at, text in enumerate(uses)]
        other = "The casters are of steel. A caster is a thing that is a cause of delay."
        title = {"metadata": {"title": "Caster"}}
        corpus.ingest([*parts, Document(id_="lead", text=lead, **title), Document(id_="z", text=other, **title)])
        for top_k in (3, 14):
            retrieval = HybridRetriever(corpus, top_k=top_k).search("What is a caster?")
            assert len(retrieval.nodes) == top_k
            (quote,) = choose(retrieval)
            assert quote.text == "Caster (often), also known as a swivel is a small wheel below a cart."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who wrote Salt Quay?", "Salt Quay is a 1945 novel by Anna Lind about a harbour."),
        ("who wrote the novel Salt Quay?", "Salt Quay was Lind's second novel."),
        ("Who directed Salt Quay?", "Salt Quay is a film that was shot in Oslo by Anna Lind."),
        ("Who painted Salt Quay?", "Salt Quay (1891) is an oil painting by the Danish painter Anna Lind."),
        ("Who composed Salt Quay?", "Salt Quay is an opera in two acts by Anna Lind."),
    ],
)
def test_who_made_a_work_is_said_by_the_sentence_that_says_what_it_is(tmp_path: Path, question: str, text: str) -> None:
    uses = [f"Berg {number} wrote, directed, composed and painted all about Salt Quay." for number in range(6)]
    with open_host(tmp_path) as host:
        corpus = host.corpus("works", kind="article")
        parts = [Document(id_=str(at), text=use, metadata={"title": "Berg"}) for at, use in enumerate(uses)]
        work = Document(id_="work", text=f"{text} Salt Quay was read.", metadata={"title": "Salt Quay"})
        corpus.ingest([*parts, work])
        retrieval = HybridRetriever(corpus, top_k=3).search(question)
    assert [quote.text for quote in choose(retrieval)] == [text]
    assert judge(weigh_evidence(retrieval), retrieval) == "answered"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who directed Salt Quay?", "Salt Quay is a film based on the novel by Anna Lind."),
        ("Who wrote Salt Quay?", "Salt Quay is a novel that was first published by Lind Press."),
        ("Who painted Salt Quay?", "Salt Quay is a novel by Anna Lind."),
        ("Who wrote Salt Quay?", "Salt Quay is a novel that stands by itself."),
        ("Who wrote Salt Quay?", "Salt Quay Two is a novel by Anna Lind."),
    ],
)
def test_who_made_another_work_or_did_something_else_for_it_is_no_maker(question: str, text: str) -> None:
    node = NodeWithScore(node=TextNode(id_="n", text=text), score=1.0)
    retrieval = Retrieval(question, (node,), {}, dict.fromkeys(question_stems(question), 2.0))
    assert sentences_of(retrieval)[0].defining < 0.9


@pytest.mark.parametrize(
    "question",
    [
        "What is the drum that pulls a rope on a boat called?",
        "What do you call a drum that pulls a rope on a boat?",
        "What's the word for a drum that pulls a rope on a boat?",
        "Which term describes a drum that pulls a rope on a boat?",
        "The drum that pulls a rope on a boat is known as the what?",
    ],
)
def test_what_something_is_called_is_answered_by_a_glossarys_entry(tmp_path: Path, question: str) -> None:
    """It is a small part of its chunk, which is found behind those that use its words more often."""
    parts = ["aft", "bow", "cleat", "deck", "hull", "jib", "keel", "mast", "oar", "port", "rudder", "stern", "yard"]
    entries = [f"{part}: piece number {at} of the list of pieces" for at, part in enumerate(parts)]
    entries.insert(7, "winch: drum on which a rope is pulled")
    glossary = Document(id_="glossary", text="\n\n".join(entries), metadata={"title": "Glossary"})
    uses = [f"Boat {at} has a new rope. It is on the drum of boat {at}. A child pulls it." for at in range(9)]
    with open_host(tmp_path) as host:
        corpus = host.corpus("parts", kind="article")
        corpus.ingest([*(Document(id_=str(at), text=text) for at, text in enumerate(uses)), glossary])
        retrieval = HybridRetriever(corpus, top_k=3).search(question)
        assert len(retrieval.nodes) == 3
        assert sentences_of(retrieval)[0].text == "winch: drum on which a rope is pulled"
        (quote,) = choose(retrieval)
        assert quote.text.startswith("winch: ")
        others = HybridRetriever(corpus, top_k=3).retrieve("Where is the drum that pulls a rope on a boat?")
        assert not any("winch" in each.node.get_content() for each in others)


def test_the_definitions_of_both_sides_of_a_comparison_are_found(tmp_path: Path) -> None:
    winch = "Boats have parts too. A winch is a drum that pulls a rope."
    uses = [use.replace("Caster", "Winch").replace("caster", "winch") for use in USES]
    with open_host(tmp_path) as host:
        corpus = host.corpus("parts", kind="article")
        corpus.ingest([Document(id_=str(at), text=text) for at, text in enumerate([*USES, *uses, winch, DEFINITION])])
        found = HybridRetriever(corpus, top_k=4).retrieve("What is the difference between a caster and a winch?")
        texts = [each.node.get_content() for each in found]
        assert {winch, DEFINITION} <= set(texts)
        assert len(texts) == 4


def test_the_definition_of_one_side_is_not_replaced_by_that_of_the_other() -> None:
    chunks = _Chunks({1: "Casters.", 2: "A caster is a wheel.", 3: "A winch is a drum."})
    scores = {key: Scores(0.5, 1.0, 1.0) for key in (1, 2)}
    found = with_definitions(scores, Subjects([["caster"], ["winch"]]), np.zeros(2, np.float32), chunks)
    assert [*found] == [2, 3]


def test_a_better_definition_than_the_offered_one_is_offered_too_the_first_of_several() -> None:
    texts = {
        1: "The winch is the pride of sailors.",
        2: "Ropes.",
        4: "A winch is a drum with a lever.",
        3: "A winch is a drum with a rope.",
        0: "A Winch is a Drum",  # a title
    }
    scores = {key: Scores(0.5, 1.0, 1.0) for key in (1, 2)}
    question = np.zeros(2, np.float32)
    assert [*with_definitions(scores, Subjects([["winch"]]), question, _Chunks(texts))] == [1, 3]
    texts[1] = "A winch is a tool."
    assert [*with_definitions(scores, Subjects([["winch"]]), question, _Chunks(texts))] == [1, 2]


class _Chunks:
    """Texts by key, all of which every search finds."""

    def __init__(self, texts: dict[int, str]) -> None:
        self._texts = texts

    def lexical(self, words: Sequence[str], limit: int) -> tuple[list[tuple[int, float]], dict[str, int]]:
        return [(key, 1.0) for key in self._texts][:limit], dict.fromkeys(words, 1)

    def cosines(self, question: npt.NDArray[np.float32], keys: Sequence[int]) -> dict[int, float]:
        return dict.fromkeys(keys, float(question[0]))

    def packed_words(self, keys: Sequence[int]) -> dict[int, bytes]:
        return {key: pack("", self._texts[key]) for key in keys}

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        return {key: self._texts[key] for key in keys}

    def nodes(self, keys: Sequence[int]) -> dict[int, TextNode]:
        return {key: TextNode(text=self._texts[key]) for key in keys}


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("It has wheels. The caster (a small one) is a wheel.", True),
        ("A small wheel that swivels is called a caster.", True),
        ("The caster is in the box. Casters are visible from below.", False),
        ("The forecaster is a person.", False),
        ('It has wheels. A "caster" means either of the small ones.', True),
        ("A cart has a small caster, which is a wheel that swivels.", True),
        ("Casters, the wheels of carts, are parts.", True),
    ],
)
def test_which_texts_define(text: str, is_found: bool) -> None:
    texts = {1: "Casters everywhere.", 2: text}
    assert best_definition(texts, subject_of("What is a caster?")) == (2 if is_found else None)


def test_a_term_with_a_preposition_and_a_long_aside_is_defined() -> None:
    texts = {
        1: "A safe rate of turn is not required.",
        2: "The rate of turn (in the older books of sailors: swinging speed, on charts of the coast: speed of the head,"
        " among pilots: swing) is a measure of how quickly a ship turns.",
        3: 'The rate of turn, often shortened to "rot", is a measure of turning.',
    }
    for key in (2, 3):
        offered = {at: texts[at] for at in (1, key)}
        assert best_definition(offered, subject_of("What is the rate of turn?")) == key


@pytest.mark.parametrize(
    ("sentence", "name", "is_said"),
    [
        ("Mrs. Berg was a widow of the town.", "Mrs. Berg", True),
        ("It is Captain Lund, my father.", "Captain Lund", True),
        ("Ada's younger sister (or rather half-sister) Runa slept.", "Runa", True),
        ("Then came Nils Lund, son of the ferryman.", "Nils Lund", True),
        ("The mate, Mr. Holm, had an old coat.", "Mr. Holm", True),
        ("The others are pretty too, but Ada, the eldest, was the best dancer.", "Ada Berg", True),
        ("They met her brother and his friend Nils\nLund.", "Nils Lund", True),
        ("Ole the king had a ship, and his daughter had none.", "Ole", True),
        ("He had a dog, and the dog was called Rex.", "Rex", True),
        ("Nils Lund became the leader of the crew.", "Nils Lund", True),
        ("But Nils Lund and his father slept.", "Nils Lund", False),
        ("Mr. Holm was a little late.", "Mr. Holm", False),
        ("When Mr. Holm was a cook, the crew ate well.", "Mr. Holm", False),
        ("At the last word of the captain, Nils was silent.", "Nils", False),
        ('"You are my man, Nils," he cried.', "Nils", False),
        ('"Would you?" asked Ada, her face in her hands.', "Ada", False),
        ("Ada Lund, the cook, slept.", "Ada Berg", False),
        ("Ada's brother slept.", "Ada", False),
        ('"Yes," said Ole, leaving the captain.', "Ole", False),
        ("Ole's ship was called the Heron by the captain.", "Heron", False),
    ],
)
def test_who_someone_is(sentence: str, name: str, is_said: bool) -> None:
    person = person_asked(f"Who is {name}?")
    assert person is not None
    assert (person.identified_by(sentence) > 0) is is_said


@pytest.mark.parametrize("question", ["Who is the captain?", "Who is in the boat?", "who is it", "What is Ada?"])
def test_a_question_without_a_name_is_about_no_person(question: str) -> None:
    assert person_asked(question) is None


@pytest.mark.parametrize("question", ["Who is Nils Lund?", "who is nils"])
def test_who_someone_is_stands_where_the_name_comes_first(tmp_path: Path, question: str) -> None:
    said = "At the pier there stood a boy, Nils Lund, son of the ferryman."
    mentions = [f'Nils Lund saw {number} gulls. "Nils Lund!" they cried. Nils Lund ran.' for number in range(12)]
    with open_host(tmp_path) as host:
        corpus = host.corpus("story", kind="article")
        corpus.ingest([Document(id_=f"{at:02}", text=text) for at, text in enumerate([said, *mentions])])
        found = HybridRetriever(corpus, top_k=3).search(question)
    assert [quote.text for quote in choose(found)] == [said]


@pytest.mark.parametrize(
    "sentence",
    [
        "Lund (ˈlund; locally [ˈlʊnd] (listen)), officially the Free Town of Lund, is a town by a bay.",
        "Lund Harbour, commonly known as Lund, is a town by a bay.",
        "Lund-on-Sea, or “Lund”, is a town by a bay.",
    ],
)
def test_a_definition_may_give_other_names(sentence: str) -> None:
    assert defines(sentence, {"lund"}) == 1.0


def test_a_name_of_several_things_is_one_name() -> None:
    sentence = "The Kerr and Lund Museum (often shortened to KLM), Bergen, is a museum of ships."
    assert defines(sentence, set(subject_of("What is the Kerr and Lund Museum?"))) == 1.0
    assert defines(sentence, {"kerr"}) == 0.0


def test_a_person_may_have_more_names_than_are_asked_for() -> None:
    person = person_asked("Who is Anna Berg?")
    assert person
    assert person.identified_by("Anna Maria Berg, Jr. is a painter.") == 0.9
    assert person.identified_by("Anna Maria Berg, a painter, sang.") == 0.8
    assert person.identified_by("The Voyage of Anna Berg, a film of 1931, won two prizes.") == 0.0


def test_who_a_person_is_is_looked_for_behind_what_may_only_say_it() -> None:
    texts = {1: "The painter Anna Berg sang.", 2: "Ropes.", 3: "Anna Berg was a painter of ships."}
    scores = {key: Scores(0.5, 1.0, 1.0) for key in (1, 2)}
    wanted = Subjects.of("Who was Anna Berg?")
    assert [*with_definitions(scores, wanted, np.zeros(2, np.float32), _Chunks(texts))] == [1, 3]


@pytest.mark.parametrize(
    ("sentence", "score"),
    [
        ("Anna Berg, PhD student (first year), works on ropes", 0.8),
        ("Plumber | Aqua Fix | Anna Berg | 555-0177", 0.8),
        ("Anna Berg | since May | Friday", 0.8),
        ("Rheometer | B 1.03 | Anna | calendar", 0.0),
        ("[ ] Anna: label the drawers", 0.5),
        ("**Anna**: With thick ropes nothing slips.", 0.5),
        ("Anna Lund and Bo went home.", 0.0),
    ],
)
def test_who_someone_is_by_one_name(sentence: str, score: float) -> None:
    person = person_asked("Who is Anna?")
    assert person
    assert person.defined_by(sentence, ["anna"]) == score
