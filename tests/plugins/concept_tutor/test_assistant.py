"""The assistant, asked as every interface asks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Answer, BadRequest, Citation, Host, NotFound, Question, Turn
from ragstone.core.testing import ScriptedLLM, open_host
from ragstone.plugins.concept_tutor import Lessons, PlanStore

from .material import SLUG, TITLE, put_plan

NAME = "concept_tutor"
OTHER = "other"
THERMAL_MASS = (
    "Thermal mass is the ability of a body to store heat. It is computed from the mass of the body and its specific "
    "heat. Thick walls of stone have a large one, and keep a house cool at noon."
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("chat")) as host:
        put_plan(host)
        put_plan(
            host,
            slug=OTHER,
            title="Rope",
            names={"bowline": "Bowline"},
            edges=(),
            sources={"bowline": [("Bowline", "Use", "A bowline is a knot that makes a loop which does not slip.")]},
        )
        put_plan(
            host,
            slug="heat",
            title="Heat",
            names={"thermal-mass": "Thermal mass"},
            edges=(),
            sources={"thermal-mass": [("Thermal mass", "", THERMAL_MASS)]},
        )
        yield host


def asked(host: Host, question: str, **filters: str) -> Answer:
    return host.assistant(NAME).ask(Question(question, filters={"plan": SLUG, **filters}))


def titles(citations: tuple[Citation, ...]) -> set[str]:
    return {str(each.fields["page_title"]) for each in citations}


def test_a_named_concept_is_explained_from_its_own_page(host: Host) -> None:
    answer = asked(host, "What is backpropagation?")
    assert not answer.refused
    assert "Backpropagation is an algorithm" in answer.text
    assert "[1]" in answer.text
    first = answer.citations[0]
    assert first.url == "https://wiki.example/wiki/Backpropagation#Overview"
    assert (first.fields["page_title"], first.fields["section"]) == ("Backpropagation", "Overview")
    assert first.fields["licence"] == "CC BY-SA 4.0"


def test_what_no_name_leads_to_is_found_all_the_same(host: Host) -> None:
    answer = asked(host, "What did Cauchy suggest in 1847?")
    assert "Augustin-Louis Cauchy" in answer.text
    assert titles(answer.citations) == {"Gradient descent"}


def test_out_of_domain_questions_are_refused(host: Host) -> None:
    answer = asked(host, "Who won the football world cup in 1998?")
    assert answer.refused
    assert not answer.citations
    assert "How networks learn" in answer.text


_IN_ORDER = "Derivative; Gradient; Loss function; Chain rule; Gradient descent; Backpropagation; Weight decay"


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What is this plan about?", f"“{TITLE}” has 7 concepts, in an order to learn them: {_IN_ORDER}."),
        ("What will I learn?", f"“{TITLE}” has 7 concepts, in an order to learn them: {_IN_ORDER}."),
        ("How many concepts does it have?", f"“{TITLE}” has 7 concepts, in an order to learn them: {_IN_ORDER}."),
        ("What topics do you cover?", f"“{TITLE}” has 7 concepts, in an order to learn them: {_IN_ORDER}."),
        ("Where do I start?", f"Begin “{TITLE}” with what needs nothing before it: Derivative; Loss function."),
        (
            "What must I know before the gradient descent?",
            "“Gradient descent” needs 2 concepts: Gradient; Loss function.",
        ),
        ("What are the prerequisites of derivatives?", f"“Derivative” needs nothing before it in “{TITLE}”."),
        ("What does backpropagation depend on?", "“Backpropagation” needs 2 concepts: Chain rule; Gradient descent."),
        ("What is the derivative needed for?", "“Derivative” is needed for 2 concepts: Gradient; Chain rule."),
        ("Why do I need the chain rule?", "“Chain rule” is needed for 1 concept: Backpropagation."),
        ("What comes after weight decay?", f"“Weight decay” is needed for nothing else in “{TITLE}”."),
        (
            "Quiz me!",
            (
                f"Questions on “{TITLE}” are asked in a session: choose Learn on the plan's page, or run ragstone tutor"
                f" learn {SLUG}."
            ),
        ),
    ],
)
def test_questions_about_the_plan_and_a_concepts_place_in_it(host: Host, question: str, reply: str) -> None:
    answer = asked(host, question)
    assert (answer.text, answer.refused, answer.closest) == (reply, False, False)


def test_of_several_plans_one_is_to_be_chosen(host: Host) -> None:
    answer = host.assistant(NAME).ask("What should I learn first?")
    assert answer.text == f"There are 3 plans: {TITLE}; Rope; Heat. Choose one to ask about it."
    assert host.assistant(NAME).ask("What does a bowline need?").text == "“Bowline” needs nothing before it in “Rope”."


def test_what_no_plan_has_as_a_concept_is_looked_for_in_its_sources(host: Host) -> None:
    assert asked(host, "What do I need to know before sailing?").refused
    assert asked(host, "What does the derivative of a function need?").text.startswith("“Derivative”") is False


def test_one_plan_does_not_answer_from_another(host: Host) -> None:
    assert asked(host, "What is a bowline?").refused
    assert not host.assistant(NAME).ask(Question("What is a bowline?", filters={"plan": OTHER})).refused
    assert not host.assistant(NAME).ask("What is a bowline?").refused


def test_a_follow_up_may_have_another_verb_for_how_a_value_is_found(host: Host) -> None:
    first = "What is thermal mass?"
    history = (Turn(first, asked(host, first, plan="heat").text),)
    answer = host.assistant(NAME).ask(Question("And how is it measured?", filters={"plan": "heat"}, history=history))
    assert "computed from the mass of the body" in answer.text
    other = Question("And how is it melted?", filters={"plan": "heat"}, history=history)
    assert host.assistant(NAME).ask(other).closest


def test_filters_that_name_nothing_are_refused(host: Host) -> None:
    with pytest.raises(NotFound):
        asked(host, "What?", plan="none")
    with pytest.raises(BadRequest):
        asked(host, "What?", learner="a b\n")


@pytest.mark.parametrize(
    "words",
    ["Why was my answer wrong?", "why is that wrong", "What did I get wrong?", "Explain my last mistake", "my reply?"],
)
def test_why_was_my_answer_wrong_is_answered_from_what_supports_the_key(host: Host, words: str) -> None:
    lessons = host.once(Lessons)
    question = lessons.questions(SLUG, "gradient-descent")[0]
    wrong = next((each for each in question.options if each != question.key), "something green")
    lessons.answer(question.question_id, wrong, learner="ada")
    answer = asked(host, words, learner="ada")
    assert not answer.refused
    assert question.support.text.split()[0] in answer.text
    assert {each.chunk_id for each in answer.citations} == {question.support.chunk_id}
    assert any(" ".join(question.support.text.split()) in " ".join(each.quote.split()) for each in answer.citations)


def test_without_an_answer_there_is_no_reason(host: Host) -> None:
    assert asked(host, "Why was my answer wrong?", learner="nobody").refused


@pytest.mark.parametrize("question", ["What is the answer to Fermat's question?", "What is a weak topology?"])
def test_most_questions_are_about_neither(host: Host, question: str) -> None:
    assert asked(host, question, learner="ada").refused


@pytest.mark.parametrize("words", ["What should I practise?", "where am I weak?", "What is next?", "my weaknesses"])
def test_what_to_practise_is_the_weakest_concept_that_has_sources(host: Host, words: str) -> None:
    answer = asked(host, words, learner="grace")
    assert not answer.refused
    weakest = host.once(Lessons).weakest(SLUG, learner="grace", most=20)
    assert titles(answer.citations) <= {
        chunk.page_title for one in weakest for chunk in host.once(PlanStore).sources(SLUG, one.concept)
    }


def test_new_chunks_are_known_without_notice(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        put_plan(host, sources={})
        assert asked_or_empty(host).refused
        from .material import SOURCES, chunks_of

        host.once(PlanStore).put_sources(SLUG, "loss", chunks_of(SOURCES["loss"]))
        assert "measures how far" in asked(host, "What is a loss function?").text
        host.once(PlanStore).put_sources(SLUG, "loss", chunks_of(SOURCES["gradient"]))
        assert "measures how far" not in asked(host, "What is a loss function?").text


def asked_or_empty(host: Host) -> Answer:
    from ragstone.core import Answer

    try:
        return asked(host, "What is a loss function?")
    except NotFound:
        return Answer("", refused=True)


def test_a_language_model_is_shown_the_reference_material(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    with open_host(tmp_path, llm=llm) as host:
        put_plan(host)
        llm.enqueue(
            "Backpropagation is an algorithm that computes the gradient of the loss with respect to every weight [1]. "
            "It was found by Elvis [1]."
        )
        answer = asked(host, "What is backpropagation?")
    assert "Elvis" not in answer.text
    assert "[1]" in answer.text
    prompt = llm.prompts[0]
    assert "REFERENCE MATERIAL" in prompt
    assert "Backpropagation › Overview" in prompt
    assert "wiki.example" not in prompt, "addresses come from the catalog, never through a model"


def test_a_source_s_address_is_never_a_script(tmp_path: Path) -> None:
    from dataclasses import replace

    from .material import SOURCES, chunks_of

    with open_host(tmp_path) as host:
        put_plan(host)
        evil = [replace(each, page_url="javascript:alert(1)") for each in chunks_of(SOURCES["loss"])]
        host.once(PlanStore).put_sources(SLUG, "loss", evil)
        answer = asked(host, "What is a loss function?")
        assert {each.url for each in answer.citations} == {f"/concept_tutor/source/{answer.citations[0].chunk_id}"}
