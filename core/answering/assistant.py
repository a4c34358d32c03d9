"""An assistant: a corpus, a prompt and a policy that can be asked. It is a LlamaIndex query engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import Protocol, TypeVar

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import RESPONSE_TYPE, Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.instrumentation.events.query import QueryEndEvent, QueryStartEvent
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import BaseNode, QueryBundle
from llama_index.core.vector_stores.types import MetadataFilters

from ..corpus import Corpus
from ..errors import PluginError, is_failure
from ..retrieval.evidence_gate import Verdict, judge, weigh_evidence
from ..retrieval.follow_up import FollowUp, Turn, follow_up
from ..retrieval.models import Retrieval
from ..retrieval.restatement import asked_again
from ..runtime.request import current_scope
from ..text.rewording import other_wordings, reworded, topic_of
from ..tracing import OwnContext, has_listeners, step
from .answer import Answer, Delta
from .greetings import introduction, is_greeting, is_of_assistant, reply_to_greeting, what_can_be_asked
from .overview_finder import OverviewFinder
from .profile import EmptyState, Profile
from .question import LONGEST_QUESTION, Question
from .question_parts import retrieved_in_parts
from .selection import from_selection, placed
from .writer import NO_MORE, AnswerPipeline, AnswerWriter

Given = TypeVar("Given")


class AnsweringHost(Protocol):
    """A host, as far as an assistant needs it."""

    @property
    def pipeline(self) -> AnswerPipeline:
        """The pipeline."""


class Assistant(BaseQueryEngine):
    """Got from ``Host.assistant``; made by a plugin's ``ragstone_assistants``. Safe to ask from several threads."""

    def __init__(self, host: AnsweringHost, corpus: Corpus, profile: Profile) -> None:
        super().__init__(callback_manager=CallbackManager([]))
        self.corpus = corpus
        self.profile = profile
        self.name = profile.name
        self.title = profile.title
        self.description = profile.description
        #: The plugin that gives it, once the host has it.
        self.plugin = ""
        self._pipeline = host.pipeline

    @property
    def has_chunks(self) -> bool:
        """Whether ``chunk`` can find anything."""
        return self.profile.chunk is not None or self.corpus.contents.exists

    def chunk(self, chunk_id: str) -> BaseNode:
        """The chunk that a citation names. Raises ``NotFound``, ``StorageError``."""
        find = self.profile.chunk or self.corpus.contents.node
        return find(chunk_id)

    @property
    def examples(self) -> tuple[str, ...]:
        """Questions to begin with; none where the plugin fails to give them."""
        given = self._from_plugin("examples", lambda: [" ".join(each.split()) for each in self.profile.examples()])
        return tuple(given or ())

    @property
    def empty_state(self) -> EmptyState | None:
        """What to do while there is nothing to answer from; ``None`` when there is, and where the plugin fails."""
        return self._from_plugin("empty state", self.profile.empty)

    def _from_plugin(self, what: str, give: Callable[[], Given]) -> Given | None:
        try:
            return give()
        except BaseException as error:
            if not is_failure(error):
                raise
            self._pipeline.note_failure(self.plugin, f"its {what}: {type(error).__name__}: {error}")
            return None

    def ask(self, question: Question | str) -> Answer:
        """The answer, refused where the evidence is not enough for one. A string is a ``Question`` without options.

        Raises ``BadRequest``, ``TooLarge``, ``NotFound``, ``EncoderError``, ``StorageError``, ``LLMError``.
        """
        *_, answer = self.stream(question)
        assert isinstance(answer, Answer)  # noqa: S101 - for the type checker: a stream ends with its answer
        return answer

    def stream(self, question: Question | str) -> Iterator[Delta | Answer]:
        """The answer's text piece by piece, each already checked, then the ``Answer``. Errors as for ``ask``."""
        asked, filters = self._resolved(question)  # here, so that an error is raised before the first word
        pieces = self._answer(asked, filters)
        # the scope of the request holds for the whole stream, whichever thread reads it
        return OwnContext(pieces) if current_scope() or has_listeners() else pieces

    def retrieve_for(self, question: Question | str) -> tuple[Retrieval, Verdict]:
        """The chunks that a question would be answered from, with their scores, and whether they are enough."""
        asked, filters = self._resolved(question)
        fields = {"assistant": self.name, "question": asked.text, "filters": dict(asked.filters)}
        with step("Assistant.retrieve_for", **fields), self._without_exit():
            return self._judged(asked, filters)

    def _resolved(self, question: Question | str) -> tuple[Question, MetadataFilters | None]:
        """The question with its number of chunks, and what the chunks' metadata must be. Raises ``BadRequest``."""
        asked = question if isinstance(question, Question) else Question(question)
        text, history = asked_again(asked.text, self._without_refusals(asked))
        asked = replace(asked, text=text[-LONGEST_QUESTION:], history=history)
        filters = self.profile.filters.metadata(asked.filters)
        return (asked if asked.top_k else replace(asked, top_k=self.profile.top_k)), filters

    def _without_refusals(self, question: Question) -> Sequence[Turn]:
        """The history, without the answers that were refusals: some clients return all that they got."""
        answers = {turn.answer.strip() for turn in question.history} - {""}
        if not answers or answers.isdisjoint(refusals := {self.profile.refusal(question.filters), NO_MORE.text}):
            return question.history
        return tuple(replace(turn, answer="") if turn.answer.strip() in refusals else turn for turn in question.history)

    def _judged(self, question: Question, filters: MetadataFilters | None) -> tuple[Retrieval, Verdict]:
        """The retrieval, and whether its evidence is enough. A follow-up is read with the questions before it."""
        top_k = question.top_k or self.profile.top_k
        in_parts = retrieved_in_parts(question, top_k, partial(self._judged_as_one, filters=filters))
        return (in_parts, "answered") if in_parts else self._judged_as_one(question, filters)

    def _judged_as_one(self, question: Question, filters: MetadataFilters | None) -> tuple[Retrieval, Verdict]:
        """The same of a question for one thing; of several ways to ask it that which is answered."""
        found = self._judged_as_asked(question, filters)
        for other in () if found[1] == "answered" else other_wordings(question.text):
            again = self._judged_as_asked(replace(question, text=other[-LONGEST_QUESTION:]), filters)
            if again[1] == "answered":
                return again
        return found

    def _judged_as_asked(self, question: Question, filters: MetadataFilters | None) -> tuple[Retrieval, Verdict]:
        earlier = follow_up(question.text, question.history)
        if earlier is None:
            return self._weighed(question, filters, None)
        if parallel := earlier.parallel:
            instead = self._weighed(replace(question, text=parallel[-LONGEST_QUESTION:]), filters, None)
            if instead[1] == "answered":
                return instead
        in_context = replace(question, text=earlier.in_context[-LONGEST_QUESTION:])
        retrieval, verdict = self._weighed(in_context, filters, earlier)
        if verdict == "answered" or not earlier.alone or (verdict == "closest" and earlier.refers):
            return retrieval, verdict
        alone, judged = self._weighed(replace(question, text=earlier.alone), filters, None)
        return (alone, judged) if judged == "answered" or verdict == "refused" else (retrieval, verdict)

    def _weighed(
        self, question: Question, filters: MetadataFilters | None, earlier: FollowUp | None
    ) -> tuple[Retrieval, Verdict]:
        top_k = question.top_k or self.profile.top_k
        asked = question.text if earlier else topic_of(question.text) or reworded(question.text)
        found = self._pipeline.retrieve(self.corpus, asked, top_k=top_k, filters=filters)
        idf = earlier.weighed(found.idf, found.spelling.correct) if earlier else found.idf
        retrieval = replace(found, follow_up=earlier, idf=idf, setting=self.profile.setting)
        with step("Gate.weigh", chunks=len(retrieval.nodes), threshold=retrieval.threshold) as weighed:
            evidence = weigh_evidence(retrieval)
            verdict = judge(evidence, retrieval, self.corpus.options.least_likelihood)
            weighed.set_result(lambda: {**asdict(evidence), "score": evidence.score, "verdict": verdict})
        return retrieval, verdict

    def _answer(self, question: Question, filters: MetadataFilters | None) -> Generator[Delta | Answer, None, None]:
        fields = {"question": question.text, "top_k": question.top_k, "filters": dict(question.filters)}
        with step("Assistant.ask", assistant=self.name, **fields) as asked:
            asked.emit(lambda: QueryStartEvent(query=question.text))
            with self._without_exit():
                answer = yield from self._pieces(question, filters)
            asked.emit(lambda: QueryEndEvent(query=question.text, response=Response(answer.text)))
        yield answer

    @contextmanager
    def _without_exit(self) -> Iterator[None]:
        """Raise ``PluginError`` where a function of the profile calls ``sys.exit``."""
        try:
            yield
        except SystemExit as error:
            raise PluginError(f"the plugin {self.plugin} called sys.exit in its assistant {self.name}") from error

    def _pieces(self, question: Question, filters: MetadataFilters | None) -> Generator[Delta, None, Answer]:
        """The pieces of the text; returns the answer."""
        writer = AnswerWriter(self.profile, self._pipeline)
        if question.selection is None:
            if is_greeting(question.text):
                return (yield from writer.greet(reply_to_greeting(question.text, self._askable(question))))
            finder = OverviewFinder(self.profile, partial(self._judged, filters=filters))
            if (overview := finder.find(question)) is not None:
                return (yield from writer.summarize(overview, question.filters))
            if is_of_assistant(question.text):
                itself = introduction(self.title, self.description, self._askable(question))
                return (yield from writer.greet(itself))
            retrieval, verdict = self._judged(question, filters)
        else:
            retrieval, verdict = self._from_selection(question, question.selection, filters)
        return (yield from writer.write(question, retrieval, verdict))

    def _askable(self, question: Question) -> str:
        """A sentence on what can be asked: with filters of a source as a whole, as others may be of another one."""
        if empty := self.empty_state:
            return empty.text
        find, filters = self.profile.overview, question.filters
        examples = [each for each in self.examples if not filters or find(each, filters, lambda: None) is not None]
        return what_can_be_asked(examples)

    def _from_selection(
        self, question: Question, selection: str, filters: MetadataFilters | None
    ) -> tuple[Retrieval, Verdict]:
        started = time.perf_counter()
        near: list[BaseNode] = []
        if self.corpus.contents.exists:
            found = self._pipeline.retrieve(self.corpus, selection[:LONGEST_QUESTION], top_k=5, filters=filters)
            near = [chunk.node for chunk in found.nodes]
        spent = (time.perf_counter() - started) * 1000
        with step("Gate.weigh", selection=len(selection)) as weighed:
            chunk = placed(selection, near, question.filters)
            retrieval, is_about_it = from_selection(self.corpus.encoder, question.text, chunk)
            verdict: Verdict = "answered" if is_about_it else "refused"
            weighed.set_result(lambda: {"verdict": verdict})
        timings = replace(retrieval.timings, retrieve=retrieval.timings.retrieve + spent)
        return replace(retrieval, timings=timings), verdict

    # LlamaIndex's side

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        answer = self.ask(query_bundle.query_str)
        return Response(answer.text, source_nodes=list(answer.chunks), metadata={"answer": answer.to_dict()})

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}
