"""The contract of assistants: one of a few lines passes, and for every clause there is one that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from llama_index.core.base.response.schema import Response
from llama_index.core.schema import QueryBundle

from ragstone.core import Answer, Assistant, Citation, Delta, Host, Question
from ragstone.core.testing import AssistantContract, SmallCorpus, fill_small_corpus, open_host
from tests.core.testing.breaking import OneThread, breaks, clauses

QUESTION = "What is a caster wheel?"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host"), plugins={"small_corpus": SmallCorpus()}) as opened:
        fill_small_corpus(opened)
        yield opened


class TestOneOfAFewLines(AssistantContract):
    @pytest.fixture
    def assistant(self, host: Host) -> Assistant:
        return host.assistant("small_corpus")

    @pytest.fixture
    def question(self) -> str:
        return QUESTION


def _text(question: Question | str) -> str:
    return question.text if isinstance(question, Question) else question


class Changed(Assistant):
    """Its answers are changed, and so is what is streamed, unless ``streamed`` says what is."""

    def __init__(
        self, host: Host, change: Callable[[str, Answer], Answer], streamed: Any = None, **profile: Any
    ) -> None:
        made = host.assistant("small_corpus")
        super().__init__(host, made.corpus, replace(made.profile, **profile))
        self._change = change
        self._streamed = streamed

    def stream(self, question: Question | str) -> Iterator[Delta | Answer]:
        *pieces, last = super().stream(question)
        assert isinstance(last, Answer)
        answer = self._change(_text(question), last)
        if self._streamed is not None:
            yield from self._streamed(answer)
            return
        yield from pieces if answer.text == last.text else [Delta(answer.text)]
        yield answer


def same(question: str, answer: Answer) -> Answer:
    return answer


def cites(**changes: Any) -> Callable[[str, Answer], Answer]:
    """The first citation is changed."""

    def changed(question: str, answer: Answer) -> Answer:
        return replace(answer, citations=tuple(replace(each, **changes) for each in answer.citations))

    return changed


def says(text: str) -> Callable[[str, Answer], Answer]:
    return lambda question, answer: replace(answer, text=text)


def answers_all(question: str, answer: Answer) -> Answer:
    return replace(answer, refused=False)


def is_cross(question: str, answer: Answer) -> Answer:
    if "<img" in question:
        raise ValueError("what a question")
    return answer


def loses_markers(question: str, answer: Answer) -> Answer:
    if question == "?":
        return replace(answer, citations=(Citation(1, "x", "words", "/x"),))
    return answer


def changes_its_mind() -> Callable[[str, Answer], Answer]:
    number = count()
    return lambda question, answer: replace(answer, text=f"{answer.text} {next(number)}")


class OfOneThread(Changed):
    def __init__(self, host: Host) -> None:
        super().__init__(host, same)
        self._one = OneThread()

    def stream(self, question: Question | str) -> Iterator[Delta | Answer]:
        self._one.check()
        return super().stream(question)


class Mute(Changed):
    def _query(self, query_bundle: QueryBundle) -> Any:
        return Response("What?")


class WithoutChunks(Changed):
    def _query(self, query_bundle: QueryBundle) -> Any:
        return Response(self.ask(query_bundle.query_str).text)


class TakesAnything(Changed):
    def stream(self, question: Question | str) -> Iterator[Delta | Answer]:
        return super().stream(QUESTION)


class RaisesAnything(Changed):
    def stream(self, question: Question | str) -> Iterator[Delta | Answer]:
        if not _text(question).strip():
            raise IndexError("no words")
        return super().stream(question)


BROKEN: list[tuple[str, Any, str]] = [
    ("test_it_is_an_assistant", lambda host: object(), "it is a object, not an Assistant"),
    ("test_it_says_what_it_is", lambda host: Changed(host, same, name="My Notes!"), "'My Notes!' is no name"),
    ("test_it_says_what_it_is", lambda host: Changed(host, same, description=""), "its description is empty"),
    ("test_it_answers_with_citations", lambda host: Changed(host, says(" ")), "its answer has no words"),
    (
        "test_it_answers_with_citations",
        lambda host: Changed(host, lambda question, answer: replace(answer, citations=())),
        "its answer has no citation",
    ),
    (
        "test_it_answers_with_citations",
        lambda host: Changed(host, lambda question, answer: replace(answer, refused=True)),
        "is refused",
    ),
    (
        "test_markers_and_citations_are_the_same",
        lambda host: Changed(host, says("A caster swivels. [1][7]")),
        "the text has the markers [1, 7], the citations are [1",
    ),
    (
        "test_markers_and_citations_are_the_same",
        lambda host: Changed(
            host,
            lambda question, answer: replace(
                answer, text="It swivels [4].", citations=(replace(answer.citations[0], n=4),)
            ),
        ),
        "the citations have the numbers [4]",
    ),
    ("test_a_quote_stands_in_an_offered_chunk", lambda host: Changed(host, cites(chunk_id="x")), "was not offered"),
    ("test_a_quote_stands_in_an_offered_chunk", lambda host: Changed(host, cites(quote="A dog.")), "quotes 'A dog.'"),
    ("test_a_quote_stands_in_an_offered_chunk", lambda host: Changed(host, cites(quote="")), "quotes ''"),
    ("test_a_citation_can_be_opened", lambda host: Changed(host, cites(url="javascript:alert(1)")), "'javascript:"),
    ("test_a_citation_can_be_opened", lambda host: Changed(host, cites(url="")), "has the address ''"),
    ("test_a_citation_can_be_opened", lambda host: Changed(host, cites(url="//evil.example/")), "'//evil.example/'"),
    ("test_a_citation_has_a_title", lambda host: Changed(host, cites(fields={})), "has no 'title' among its fields"),
    ("test_its_json_can_be_written", lambda host: Changed(host, cites(fields={"of": {1, 2}})), "writing its answer as"),
    (
        "test_the_stream_ends_with_the_answer",
        lambda host: Changed(host, same, lambda answer: [Delta(answer.text)]),
        "the stream ends with a Delta",
    ),
    (
        "test_the_stream_ends_with_the_answer",
        lambda host: Changed(host, same, lambda answer: [Delta("A caster"), answer]),
        "streamed was 'A caster', the answer is",
    ),
    (
        "test_the_stream_ends_with_the_answer",
        lambda host: Changed(host, same, lambda answer: [answer.text, answer]),
        "the stream has something else than pieces of text",
    ),
    ("test_the_same_question_gets_the_same_answer", lambda host: Changed(host, changes_its_mind()), "asked again it"),
    ("test_an_out_of_domain_question_is_refused", lambda host: Changed(host, answers_all), "is answered"),
    (
        "test_an_out_of_domain_question_is_refused",
        lambda host: Changed(host, says("")),
        "its refusal has no words",
    ),
    (
        "test_an_out_of_domain_question_is_refused",
        lambda host: Changed(host, lambda question, answer: replace(answer, reason=None)),
        "its refusal has no reason",
    ),
    (
        "test_an_out_of_domain_question_is_refused",
        lambda host: Changed(
            host, lambda question, answer: replace(answer, citations=(Citation(1, "x", "words", "/x"),))
        ),
        "its refusal has citations",
    ),
    (
        "test_what_cannot_be_asked_is_a_bad_request",
        lambda host: TakesAnything(host, same),
        "the question '' is no BadRequest",
    ),
    (
        "test_what_cannot_be_asked_is_a_bad_request",
        lambda host: RaisesAnything(host, same),
        "the question '' is a IndexError: no words, not a BadRequest",
    ),
    ("test_odd_questions_raise_nothing", lambda host: Changed(host, is_cross), "raised ValueError: what a question"),
    (
        "test_odd_questions_raise_nothing",
        lambda host: Changed(host, loses_markers),
        "the answer to '?' has citations without a marker: [1]",
    ),
    ("test_its_examples_can_be_asked", lambda host: Changed(host, same, examples=lambda: ("",)), "is no question: ''"),
    (
        "test_its_examples_can_be_asked",
        lambda host: Changed(host, same, examples=lambda: ("x" * 5000,)),
        "raised TooLarge",
    ),
    ("test_it_is_a_query_engine", lambda host: Mute(host, same), "query says 'What?', ask says"),
    ("test_it_is_a_query_engine", lambda host: WithoutChunks(host, same), "query gives no passages"),
    ("test_it_works_in_another_thread", OfOneThread, "raised RuntimeError: made in another thread"),
]


@pytest.mark.parametrize(("clause", "make", "words"), BROKEN)
def test_a_clause_fails_for_an_assistant_that_breaks_it(
    clause: str, make: Callable[[Host], object], words: str, host: Host
) -> None:
    breaks(AssistantContract, clause, words, assistant=make(host), question=QUESTION)


def test_every_clause_is_broken_by_one() -> None:
    assert {clause for clause, *_ in BROKEN} == clauses(AssistantContract)
