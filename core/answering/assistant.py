"""An assistant: a corpus, a prompt and a policy that can be asked. It is a LlamaIndex query engine."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Protocol

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.instrumentation.events.query import QueryEndEvent, QueryStartEvent
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent

from ..errors import PluginError, is_failure
from ..retrieval.evidence_gate import is_sufficient, weigh_evidence
from ..retrieval.follow_up import FollowUp, Turn, follow_up
from ..retrieval.models import check_top_k
from ..tracing import in_its_own_context, step
from .answer import Answer, Delta, Timings
from .composition import Composition
from .draft import Draft
from .question import LONGEST_QUESTION, LONGEST_SELECTION, check_history, check_text
from .selection import from_selection, placed
from .synthesis import Extractive, Synthesizer

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from llama_index.core.base.response.schema import RESPONSE_TYPE
    from llama_index.core.prompts.mixin import PromptMixinType
    from llama_index.core.schema import BaseNode, QueryBundle
    from llama_index.core.vector_stores.types import MetadataFilters

    from ..corpus import Corpus
    from ..retrieval.models import Retrieval
    from .profile import Profile

NOTHING_FOUND = "nothing in the text answers this"
WITHHELD = "what the text tells may not be repeated without a warning that it does not give"
NOTHING_SUPPORTED = "no sentence of the answer is borne by the text"

#: Words of its own with which a question may stand alone.
_STANDS_ALONE = 2


class AnsweringHost(Protocol):
    """What an assistant needs of the host."""

    def retrieve(
        self, corpus: Corpus, question: str, *, top_k: int, filters: MetadataFilters | None = None
    ) -> Retrieval:
        """What the corpus offers to a question."""

    def synthesizer(self, prompt: str) -> Synthesizer:
        """What makes an answer's sentences, with the prompt of that name."""

    def plugin_of(self, assistant: str) -> str:
        """The plugin that gives the assistant of that name."""

    def note_failure(self, plugin: str, reason: str) -> None:
        """Note that the plugin failed."""


class Assistant(BaseQueryEngine):
    """Got from ``Host.assistant``; made by a plugin's ``ragstone_assistants``. Safe to ask from several threads."""

    def __init__(self, host: AnsweringHost, corpus: Corpus, profile: Profile) -> None:
        super().__init__(callback_manager=CallbackManager([]))
        self._host = host
        self.corpus = corpus
        self.profile = profile
        self.name = profile.name
        self.title = profile.title
        self.description = profile.description
        self.narrowings = profile.narrowings
        self.choices = profile.choices
        self.page = profile.page
        self.query_path = profile.query_path or f"/assistants/{profile.name}/query"
        self.selection_path = profile.selection_path

    @property
    def has_passages(self) -> bool:
        """Whether ``passage`` can find anything."""
        return self.profile.passage is not None or self.corpus.exists

    def passage(self, chunk_id: str) -> BaseNode:
        """The passage that a citation names. Raises ``NotFound``, ``StorageError``."""
        find = self.profile.passage or self.corpus.node
        return find(chunk_id)

    @property
    def examples(self) -> tuple[str, ...]:
        """Questions to begin with; none where the plugin fails to give them."""
        try:
            return tuple([" ".join(example.split()) for example in self.profile.examples()])
        except BaseException as error:
            if not is_failure(error):
                raise
            self._host.note_failure(self._host.plugin_of(self.name), f"its examples: {type(error).__name__}: {error}")
            return ()

    def ask(
        self,
        question: str,
        *,
        top_k: int | None = None,
        selection: str | None = None,
        narrow: Mapping[str, str] | None = None,
        history: Sequence[Turn] = (),
    ) -> Answer:
        """The answer, refused where the evidence does not bear one.

        ``top_k``: passages to answer from. ``selection``: answer from this text and nothing else. ``narrow``: only
        passages whose metadata say so (``{"book": "primer"}``). ``history``: what was asked and answered before, the
        latest last; a question that leans on it ("and why?") is judged with it. Raises ``BadRequest``,
        ``TooLarge``, ``NotFound``, ``EncoderError``, ``StorageError``, ``LLMError``.
        """
        *_, answer = self.stream(question, top_k=top_k, selection=selection, narrow=narrow, history=history)
        assert isinstance(answer, Answer)  # noqa: S101 - for the type checker: a stream ends with its answer
        return answer

    def stream(
        self,
        question: str,
        *,
        top_k: int | None = None,
        selection: str | None = None,
        narrow: Mapping[str, str] | None = None,
        history: Sequence[Turn] = (),
    ) -> Iterator[Delta | Answer]:
        """The answer's text piece by piece, each already checked, then the ``Answer``. Arguments as for ``ask``."""
        check_text(question, "question", LONGEST_QUESTION)
        if selection is not None:
            check_text(selection, "selection", LONGEST_SELECTION)
        check_history(history)
        if top_k is not None:
            check_top_k(top_k)
        narrow = self.profile.checked(narrow or {})
        _ = self.profile.filters(narrow)  # an error is raised here, not at the first word
        pieces = self._answer(question.strip(), top_k or self.profile.top_k, selection, narrow, history)
        return in_its_own_context(pieces)

    def retrieve_for(
        self,
        question: str,
        *,
        top_k: int | None = None,
        narrow: Mapping[str, str] | None = None,
        history: Sequence[Turn] = (),
    ) -> tuple[Retrieval, bool]:
        """The passages that a question would be answered from, with their scores, and whether they are enough."""
        check_text(question, "question", LONGEST_QUESTION)
        check_history(history)
        if top_k is not None:
            check_top_k(top_k)
        narrow = self.profile.checked(narrow or {})
        fields = {"assistant": self.name, "question": question, "narrow": dict(narrow)}
        with step("Assistant.retrieve_for", **fields), self._without_exit():
            return self._judged(question.strip(), top_k or self.profile.top_k, narrow, history)

    def _judged(
        self, question: str, top_k: int, narrow: Mapping[str, str], history: Sequence[Turn]
    ) -> tuple[Retrieval, bool]:
        leaning = follow_up(question, history)
        if leaning is not None:
            retrieval, enough = self._weighed(leaning.in_context[-LONGEST_QUESTION:], top_k, narrow, leaning)
            # What looked like a follow-up may stand alone all the same, if it says what about.
            if enough or len(leaning.own) < _STANDS_ALONE:
                return retrieval, enough
        return self._weighed(question, top_k, narrow, None)

    def _weighed(
        self, question: str, top_k: int, narrow: Mapping[str, str], leaning: FollowUp | None
    ) -> tuple[Retrieval, bool]:
        found = self._host.retrieve(self.corpus, question, top_k=top_k, filters=self.profile.filters(narrow))
        retrieval = replace(found, follow_up=leaning)
        with step("Gate.weigh", passages=len(retrieval.nodes), threshold=retrieval.threshold) as weighed:
            speaks = weigh_evidence(retrieval)
            enough = is_sufficient(speaks, retrieval)
            weighed.set_result(lambda: {**asdict(speaks), "score": speaks.score, "enough": enough})
        return retrieval, enough

    def _answer(
        self,
        question: str,
        top_k: int,
        selection: str | None,
        narrow: Mapping[str, str],
        history: Sequence[Turn],
    ) -> Generator[Delta | Answer, None, None]:
        with step("Assistant.ask", assistant=self.name, question=question, top_k=top_k, narrow=dict(narrow)) as asked:
            asked.emit(lambda: QueryStartEvent(query=question))
            with self._without_exit():
                answer = yield from self._pieces(question, top_k, selection, narrow, history)
            asked.emit(lambda: QueryEndEvent(query=question, response=Response(answer.text)))
        yield answer

    @contextmanager
    def _without_exit(self) -> Iterator[None]:
        """Let what the profile's functions raise to end the process be a ``PluginError``."""
        try:
            yield
        except SystemExit as error:
            plugin = self._host.plugin_of(self.name)
            raise PluginError(f"the plugin {plugin} called sys.exit in its assistant {self.name}") from error

    def _pieces(
        self,
        question: str,
        top_k: int,
        selection: str | None,
        narrow: Mapping[str, str],
        history: Sequence[Turn],
    ) -> Generator[Delta, None, Answer]:
        """The pieces of the text; returns the answer."""
        if selection is None:
            retrieval, enough = self._judged(question, top_k, narrow, history)
        else:
            retrieval, enough = self._from_selection(question, selection, narrow)
        started = time.perf_counter()

        def timed(answer: Answer) -> Answer:
            spent = (time.perf_counter() - started) * 1000
            return replace(
                answer,
                passages=retrieval.nodes,
                timings=Timings(retrieval.encode_ms, retrieval.retrieve_ms, spent),
            )

        if not enough:
            return timed(self._refused(narrow, NOTHING_FOUND))
        draft = Draft()
        composed = Composition([passage.node for passage in retrieval.nodes], self.profile)
        yield from self._composed(retrieval, draft, composed)
        if composed.is_empty:
            refused = self._refused(narrow, NOTHING_SUPPORTED)
            if composed.refusal is not None:
                refused = Answer(composed.refusal, refused=True, reason=WITHHELD)
            return timed(replace(refused, dropped=tuple(draft.dropped)))
        return timed(
            Answer(
                composed.text,
                citations=tuple(composed.citations),
                warnings=tuple(composed.warnings),
                dropped=tuple(draft.dropped),
            )
        )

    def _composed(self, retrieval: Retrieval, draft: Draft, composed: Composition) -> Generator[Delta, None, None]:
        synthesizer, question = self._synthesizer(), retrieval.question
        with (
            step(f"{type(synthesizer).__name__}.sentences", question=question) as written,
            closing(synthesizer.sentences(retrieval, draft)) as sentences,
        ):
            written.emit(lambda: SynthesizeStartEvent(query=question))
            # Quotes are all there at once, so that their warnings can stand before the first of them.
            batches = [list(sentences)] if isinstance(synthesizer, Extractive) else ([each] for each in sentences)
            for batch in batches:
                for piece in composed.add(batch, draft):
                    yield Delta(piece)
            written.emit(lambda: SynthesizeEndEvent(query=question, response=Response(composed.text)))

    def _refused(self, narrow: Mapping[str, str], reason: str) -> Answer:
        return Answer(self.profile.refusal(narrow), refused=True, reason=reason)

    def _synthesizer(self) -> Synthesizer:
        return self._host.synthesizer(self.profile.prompt)

    def _from_selection(self, question: str, selection: str, narrow: Mapping[str, str]) -> tuple[Retrieval, bool]:
        started = time.perf_counter()
        near: list[BaseNode] = []
        if self.corpus.exists:
            filters = self.profile.filters(narrow)
            found = self._host.retrieve(self.corpus, selection[:LONGEST_QUESTION], top_k=5, filters=filters)
            near = [passage.node for passage in found.nodes]
        spent = (time.perf_counter() - started) * 1000
        with step("Gate.weigh", selection=len(selection)) as weighed:
            retrieval, enough = from_selection(self.corpus.encoder, question, placed(selection, near, narrow))
            weighed.set_result(lambda: {"enough": enough})
        return replace(retrieval, retrieve_ms=retrieval.retrieve_ms + spent), enough

    # LlamaIndex's side

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        answer = self.ask(query_bundle.query_str)
        return Response(answer.text, source_nodes=list(answer.passages), metadata={"answer": answer.to_dict()})

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}
