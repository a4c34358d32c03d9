"""What a question asks, without the words around it."""

from __future__ import annotations

import pytest

from ragstone.core.text.rewording import about_source, reworded, topic_of
from tests.support.patience import grows_linearly


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Explain photosynthesis in simple words", "Explain photosynthesis"),
        ("What is love in simple terms, please?", "What is love"),
        ("In a few words, what is a gene?", "what is a gene?"),
        ("Please, could you please tell me what a factor graph is?", "what is a factor graph?"),
        ("Can you explain what osmosis means?", "what does osmosis mean?"),
        ("do you know who Darwin was?", "who was Darwin?"),
        ("Hello, what is dpc?", "what is dpc?"),
        ("I would like to know how vaccines work", "how vaccines work"),
    ],
)
def test_the_words_around_a_question(question: str, asked: str) -> None:
    assert reworded(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "What is osmosis?",
        "What does isobaric mean?",
        "Can you eat raw potatoes?",
        "How do I tell a hawk from a falcon?",
        "Explain like I'm five",
        "please",
        "What is",
        "What are the parts of what is called a neuron?",
        "What is a step by step procedure?",
        "Who was the man in simple clothes?",
    ],
)
def test_another_question_stays(question: str) -> None:
    assert reworded(question) == question


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What does the book say about bees?", "bees"),
        ("Does the book mention the queen bee?", "the queen bee"),
        ("does this manual say anything about frost?", "frost"),
        ("Did they write about it?", "it"),
        ("Does the manual say how to reset it?", None),
        ("Does it describe why?", None),
        ("Does it mention?", None),
        ("Does the pump contain oil?", None),
        ("Which chapter deals with the queen bee?", "the queen bee"),
        ("Where can I find more about frost?", "frost"),
        ("Where does the book talk about the topic of frost?", "frost"),
        ("In what chapter are bees first mentioned?", "bees first"),
        ("Are bees discussed in this manual?", "bees"),
        ("Where can I find the oil?", None),
        ("Are bees kept in hives?", None),
        ("Is the pump covered by a lid?", None),
    ],
)
def test_the_topic_that_a_text_is_to_mention(question: str, topic: str | None) -> None:
    assert topic_of(question) == topic


@pytest.mark.parametrize(
    ("question", "earlier", "asked"),
    [
        ("Who is it for?", [], "Who is this text for?"),
        ("And what are its parts?", ["Who wrote this book?"], "what are the parts of this text?"),
        ("How long is it?", ["Who wrote this book?", "Who is it for?"], "How long is this text?"),
        ("Who is it for?", ["Who wrote this book?", "What is a bee?"], "Who is it for?"),
        ("What about chapter 3?", ["What is a bee?"], "chapter 3?"),
        ("And?", [], "And?"),
    ],
)
def test_it_is_the_text_where_the_earlier_questions_are_about_it(question: str, earlier: list[str], asked: str) -> None:
    assert about_source(question, earlier) == asked


@pytest.mark.parametrize("part", ["in simple ", "please ", "what a ", "can you tell ", "in very very short words, "])
def test_one_thing_over_and_over_takes_linear_time(part: str) -> None:
    assert grows_linearly(lambda size: reworded(part * size), 200)
    assert grows_linearly(lambda size: topic_of("does the book mention " + part * size), 200)
    assert grows_linearly(lambda size: topic_of("in which chapter is " + part * size + " discussed"), 200)
