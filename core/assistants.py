"""An assistant: a corpus, a prompt and a policy that can be asked. It is a LlamaIndex query engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from .analysis import question_stems, stems
from .analysis import words as plain_words
from .answers import Answer, Delta, Timings
from .composition import Composition
from .conversation import FollowUp, Turn, follow_up
from .drafts import Draft
from .errors import BadRequest
from .gate import evidence, is_enough
from .passages import covered
from .questions import LONGEST_QUESTION, LONGEST_SELECTION, MOST_PASSAGES, check_history, check_text
from .ranking import Scores
from .retrieval import Retrieval
from .synthesis import Extractive, Synthesizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from llama_index.core.base.response.schema import RESPONSE_TYPE
    from llama_index.core.prompts.mixin import PromptMixinType
    from llama_index.core.schema import BaseNode, QueryBundle

    from .corpus import Corpus
    from .guards import Guard
    from .host import Host

#: A value that a passage's metadata must have, or several of which it must have one.
Condition = str | tuple[str, ...]
Conditions = Mapping[str, Condition]

NOTHING_FOUND = "nothing in the text answers this"
WITHHELD = "what the text tells may not be repeated without a warning that it does not give"
NOTHING_SUPPORTED = "no sentence of the answer is borne by the text"

#: Words of questions about a selection that ask for it as a whole, as stems.
_ABOUT_IT_ALL = frozenset(
    stems("explain mean meaning say summarise summarize summary describe passage text selection paragraph sentence")
)
#: Evidence below which a question is not one about the selection.
_SELECTION_THRESHOLD = 0.55

#: Words of its own with which a question may stand alone.
_STANDS_ALONE = 2


@dataclass(frozen=True)
class Profile:
    """What an assistant is to those who ask it."""

    name: str
    title: str
    description: str
    #: Metadata of a passage that its citations show, in this order.
    fields: tuple[str, ...]
    #: The polite refusal; gets what the question was narrowed to.
    refusal: Callable[[Mapping[str, str]], str]
    #: Address of a passage.
    url: Callable[[BaseNode], str]
    #: Name of the prompt template for a language model.
    prompt: str
    #: What a citation shows besides its fields, made of its passage; ``place`` is a place in words (``notes/a.md:3-9``).
    shown: Callable[[BaseNode], Mapping[str, str]] = lambda _node: {}
    examples: Callable[[], tuple[str, ...]] = tuple
    #: Metadata keys by which a question can be narrowed, with a help text.
    narrowings: Mapping[str, str] = field(default_factory=dict)
    #: The values of a narrowing that takes no others.
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: What passages' metadata must be for a question narrowed like this; of several values one. Raises ``BadRequest``.
    conditions: Callable[[Mapping[str, str]], Conditions] = dict
    top_k: int = 5
    #: Has a say over every answer.
    guard: Guard | None = None
    #: What a passage is about that its sentences must not be taken without ("In simulation"); ``None`` for the most.
    setting: Callable[[BaseNode], str | None] = lambda _node: None
    page: str | None = None
    query_path: str | None = None
    selection_path: str | None = None


class Assistant(BaseQueryEngine):
    """Got from ``Host.assistant``; made by a plugin's ``ragstone_assistants``. Safe to ask from several threads."""

    def __init__(self, host: Host, corpus: Corpus, profile: Profile) -> None:
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
    def examples(self) -> tuple[str, ...]:
        """Questions to begin with."""
        return self.profile.examples()

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
        if top_k is not None and not 1 <= top_k <= MOST_PASSAGES:
            raise BadRequest(f"top_k must be from 1 to {MOST_PASSAGES}, not {top_k}")
        narrow = self._checked_narrowing(narrow or {})
        _ = self._filters(narrow)  # an error is raised here, not at the first word
        return self._answer(question.strip(), top_k or self.profile.top_k, selection, narrow, history)

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
        narrow = self._checked_narrowing(narrow or {})
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
        found = self._host.retrieve(self.corpus, question, top_k=top_k, filters=self._filters(narrow))
        retrieval = replace(found, follow_up=leaning)
        return retrieval, is_enough(evidence(retrieval), retrieval)

    def _checked_narrowing(self, narrow: Mapping[str, str]) -> Mapping[str, str]:
        unknown = sorted(set(narrow) - set(self.narrowings))
        if unknown:
            known = ", ".join(self.narrowings) or "nothing"
            raise BadRequest(f"a question cannot be narrowed by {unknown[0]!r}", hint=f"by {known}")
        for name, known_values in self.choices.items():
            if name in narrow and narrow[name] not in known_values:
                hint = f"known: {', '.join(known_values)}"
                raise BadRequest(f"there is no {name} {narrow[name][:40]!r}", hint=hint)
        return narrow

    def _filters(self, narrow: Mapping[str, str]) -> MetadataFilters | None:
        conditions = self.profile.conditions(narrow)
        return MetadataFilters(filters=[_filter(*each) for each in conditions.items()]) if conditions else None

    def _answer(
        self,
        question: str,
        top_k: int,
        selection: str | None,
        narrow: Mapping[str, str],
        history: Sequence[Turn],
    ) -> Iterator[Delta | Answer]:
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
            yield timed(self._refused(narrow, NOTHING_FOUND))
            return
        draft = Draft()
        composed = Composition([passage.node for passage in retrieval.nodes], self.profile)
        synthesizer = self._synthesizer()
        with closing(synthesizer.sentences(retrieval, draft)) as sentences:
            # Quotes are all there at once, so that their warnings can stand before the first of them.
            batches = [list(sentences)] if isinstance(synthesizer, Extractive) else ([each] for each in sentences)
            for batch in batches:
                for piece in composed.add(batch, draft):
                    yield Delta(piece)
        if composed.is_empty:
            refused = self._refused(narrow, NOTHING_SUPPORTED)
            if composed.refusal is not None:
                refused = Answer(composed.refusal, refused=True, reason=WITHHELD)
            yield timed(replace(refused, dropped=tuple(draft.dropped)))
            return
        yield timed(
            Answer(
                composed.text,
                citations=tuple(composed.citations),
                warnings=tuple(composed.warnings),
                dropped=tuple(draft.dropped),
            )
        )

    def _refused(self, narrow: Mapping[str, str], reason: str) -> Answer:
        return Answer(self.profile.refusal(narrow), refused=True, reason=reason)

    def _synthesizer(self) -> Synthesizer:
        return self._host.synthesizer(self.profile.prompt)

    def _from_selection(self, question: str, selection: str, narrow: Mapping[str, str]) -> tuple[Retrieval, bool]:
        """The selection as the only passage, and whether the question is one about it."""
        started = time.perf_counter()
        vector = self.corpus.encoder.embed_query(question)
        windows = self.corpus.encoder.embed_chunks([("", selection)])[0]
        cosine = float((windows @ vector).max())
        encoded = time.perf_counter()
        node = self._place_of(selection, narrow)
        words = [word for word in question_stems(question) if word not in _ABOUT_IT_ALL]
        idf = dict.fromkeys(words, 1.0)
        coverage = covered(idf, set(stems(selection)))
        asks_for_it_all = not set(stems(question)) - _ABOUT_IT_ALL
        retrieval = Retrieval(
            question=question,
            nodes=(NodeWithScore(node=node, score=1.0),),
            scores={node.node_id: Scores(cosine, coverage, 1.0)},
            idf=idf,
            vector=vector,
            encode_ms=(encoded - started) * 1000,
            retrieve_ms=(time.perf_counter() - encoded) * 1000,
        )
        return retrieval, asks_for_it_all or max(cosine, 0.0) + coverage >= _SELECTION_THRESHOLD

    def _place_of(self, selection: str, narrow: Mapping[str, str]) -> TextNode:
        """The selection as a passage, with the id and the place of the stored passage that it was taken from."""
        # By its words: a page shows neither the marks of a list nor those of code.
        wanted = " ".join(plain_words(selection))
        place = None
        if self.corpus.exists:
            found = self._host.retrieve(
                self.corpus, selection[:LONGEST_QUESTION], top_k=5, filters=self._filters(narrow)
            )
            for passage in found.nodes:
                held = " ".join(plain_words(passage.node.get_content()))
                if wanted in held or held in wanted:
                    place = passage.node
                    break
        if place is None:
            return TextNode(id_="selection", text=selection, metadata=dict(narrow))
        return TextNode(id_=place.node_id, text=selection, metadata=dict(place.metadata))

    # LlamaIndex's side

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        answer = self.ask(query_bundle.query_str)
        return Response(answer.text, source_nodes=list(answer.passages), metadata={"answer": answer.to_dict()})

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}


def _filter(key: str, value: Condition) -> MetadataFilter:
    if isinstance(value, tuple):
        return MetadataFilter(key=key, value=list(value), operator=FilterOperator.IN)
    return MetadataFilter(key=key, value=value)
