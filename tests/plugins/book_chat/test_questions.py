"""Questions of our own over a real book: the section that answers is among the first five chunks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Host, Question, Settings
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import add_book

pytestmark = [pytest.mark.data, pytest.mark.slow]

TITLE = "Programming Multiple Robots with ROS 2"

#: Question → what its section's path must contain.
QUESTIONS = {
    "How can an automated door be connected to RMF?": "Doors › Integration",
    "What is the difference between a topic, a service and an action in ROS 2?": "Services",
    "How is a publisher node written in Python?": "Publishing and Subscribing to Topics in Python",
    "Which command lists the running nodes and topics in a terminal?": "The ROS Command Line Interface",
    "What level of control over a robot fleet can RMF have?": "Fleet Adapters",
    "How do I add a lane between waypoints on a building map?": "Adding a traffic lane",
    "Which messages control a lift?": "Lifts",
    "How are keys and certificates made with SROS 2?": "SROS 2",
    "How does the traffic schedule resolve conflicts between fleets?": "Negotiation",
    "How do I install the binary packages of Open-RMF?": "Binary install",
    "What are dispensers and ingestors?": "Workcells",
    "How is a request for a new kind of task written as JSON?": "Examples of JSON Task Requests",
}

OUT_OF_SCOPE = (
    "What is the weather today?",
    "Who wrote Hamlet?",
    "How do I cook rice?",
    "What is the capital of France?",
    "What are the symptoms of diabetes?",
    "How does photosynthesis work?",
    "When was the French Revolution?",
    "Tell me a joke.",
)


@pytest.fixture(scope="module")
def host(data: Path, model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("multirobot")
    host = Host(Settings(data_dir=folder, cache_dir=model_cache))
    host.start()
    add_book(host, data / "books" / "multirobot", TITLE)
    yield host
    host.close()


def test_the_section_is_among_the_first_five_for_eleven_of_twelve(host: Host) -> None:
    missed = []
    for question, wanted in QUESTIONS.items():
        found, _enough = host.assistant("book_chat").retrieve_for(Question(question, top_k=5))
        places = [f"{node.node.metadata['chapter']} › {node.node.metadata['section']}" for node in found.nodes]
        if not any(wanted in place for place in places):
            missed.append((question, places))
    assert len(QUESTIONS) == 12
    assert len(missed) <= 1, missed


def test_each_of_them_is_answered_in_the_words_of_the_book(host: Host) -> None:
    for question in QUESTIONS:
        answer = host.assistant("book_chat").ask(question)
        assert not answer.refused, question
        texts = {chunk.node.node_id: chunk.node.get_content() for chunk in answer.chunks}
        for citation in answer.citations:
            assert citation.quote in texts[citation.chunk_id]
            assert citation.fields["book_title"] == TITLE
            assert citation.fields["chapter"]
            assert citation.fields["section"]


def test_what_it_does_not_treat_is_refused(host: Host) -> None:
    answered = [question for question in OUT_OF_SCOPE if not host.assistant("book_chat").ask(question).refused]
    assert answered == []


def test_adding_it_again_embeds_nothing(host: Host, data: Path) -> None:
    shelf = Shelf(host)
    report = shelf.add(shelf.plan(data / "books" / "multirobot"), title=TITLE)
    assert (report.chunks, report.added, report.updated, report.removed) == (0, [], [], [])
    assert len(report.unchanged) == 35
