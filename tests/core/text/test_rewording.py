"""What a question asks, without the words around it."""

from __future__ import annotations

import pytest

from ragstone.core.text.antecedents import parallel_question, resolve_pronoun
from ragstone.core.text.rewording import about_source, going_on, other_wordings, reworded, topic_of
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
        ("Thanks a lot! What is dpc?", "What is dpc?"),
        ("Great. What is dpc?", "What is dpc?"),
        ("I would like to know how vaccines work", "how vaccines work"),
        ("whats a gene", "what is a gene"),
        ("Who’s Darwin?", "Who is Darwin?"),
        ("Who's been to Lund?", "Who's been to Lund?"),
        ("Why doesnt it fly?", "Why doesn't it fly?"),
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
        ("What do you know about frost?", "frost"),
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
        ("Summarize it", ["Which chapter is about bees?"], "Summarize that chapter"),
        ("Summarize that chapter", ["Which chapter is about bees?"], "Summarize that chapter"),
        ("What is that about?", ["Which chapter is about bees?"], "What is that chapter about?"),
        ("And the next one?", ["Summarize section 2"], "the next section?"),
        ("The one before it?", ["Summarize section 2", "And the next one?"], "the section before that section?"),
        ("next, please", ["Summarize section 2"], "the next section"),
        ("What comes next?", ["Summarize section 2"], "the next section"),
        ("What are its parts?", ["Summarize section 2"], "What are the parts of that section?"),
        ("How many parts has it?", ["Summarize section 2", "What are its parts?"], "How many parts has that section?"),
        ("What is it?", ["What is in chapter 2?"], "What is it?"),
        ("How long is it?", ["Which chapter is about bees?"], "How long is it?"),
        ("And the next one?", ["What is a bee?"], "the next one?"),
    ],
)
def test_it_is_the_text_where_the_earlier_questions_are_about_it(question: str, earlier: list[str], asked: str) -> None:
    assert about_source(question, earlier) == asked


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("How come?", "Why?"),
        ("Like what?", "Give me an example."),
        ("can you give me an example of that?", "Give me an example."),
        ("Sorry, I don't understand.", "Sorry, I don't understand."),
        ("I didn't get that.", "Tell me more."),
        ("And is that all?", "Tell me more."),
        ("What for example?", "What for example?"),
    ],
)
def test_what_only_asks_to_go_on(question: str, plain: str) -> None:
    assert going_on(question) == plain


@pytest.mark.parametrize(
    ("earlier", "question", "asked"),
    [
        (["What is an axle?"], "And a hub?", "What is a hub?"),
        (["What is an axle?", "and the hub?"], "and rims?", "What is rims?"),
        (["How do I mount a wheel on a cart?"], "and on a robot?", "How do I mount a wheel on a robot?"),
        (["How do I mount a wheel?"], "and on a robot?", ""),
        (["What does the stop command do?"], "What about the start command", "What does the start command do?"),
        (["What does a class 1 stop do?"], "and a class 0 stop?", "What does a class 0 stop do?"),
        (["Which chapter is about wheels?"], "And path planning?", "Which chapter is about path planning?"),
        (["Why do wheels turn?"], "and hubs?", ""),
        (["What is the price of a wheel?"], "and the hub?", ""),
    ],
)
def test_a_thing_in_the_place_of_another(earlier: list[str], question: str, asked: str) -> None:
    assert parallel_question(question, earlier) == asked


@pytest.mark.parametrize("part", ["in simple ", "please ", "what a ", "can you tell ", "in very very short words, "])
def test_one_thing_over_and_over_takes_linear_time(part: str) -> None:
    assert grows_linearly(lambda size: reworded(part * size), 200)
    assert grows_linearly(lambda size: topic_of("does the book mention " + part * size), 200)
    assert grows_linearly(lambda size: going_on(part * size), 200)
    assert grows_linearly(lambda size: resolve_pronoun("what is it?", [part * size]), 200)
    assert grows_linearly(lambda size: parallel_question("and the hub", ["what is the " + part * size + " hub"]), 200)
    assert grows_linearly(lambda size: other_wordings("which " + part * size + " is the loudest"), 200)
    assert grows_linearly(lambda size: topic_of("in which chapter is " + part * size + " discussed"), 200)


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("How can I reach Ana Berg?", ["phone number of Ana Berg?", "e-mail address of Ana Berg?"]),
        ("How do we get in touch with the office", ["phone number of the office?", "e-mail address of the office?"]),
        ("How can I reach?", []),
        ("Which model is the loudest?", ["noise of each model?"]),
        ("What is the least expensive ticket?", ["price of each ticket?"]),
        ("Which model has the most power?", ["power of each model?"]),
        ("Which one is the loudest?", []),
        ("How can I tie a knot?", []),
    ],
)
def test_what_someone_is_reached_by_and_which_column_has_the_greatest_value(question: str, others: list[str]) -> None:
    assert other_wordings(question) == [f"What is the {each}" for each in others]
