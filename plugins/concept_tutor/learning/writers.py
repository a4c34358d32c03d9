"""Who writes a concept's questions and the feedback: a language model behind its checks, else the built-in writer."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragstone.core import Host, LLMError

from ..plans.graph import needs_and_leads
from ..plans.store import PlanStore
from .reading.material import Material
from .reading.spelling import normal
from .writing.built_in import BuiltIn

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

    from ..plans.records import SourceChunk
    from ..settings import LearnSettings
    from .records import Finding, Question

_log = logging.getLogger(__name__)

#: Raised whenever the built-in writer would write other questions.
_VERSION = 17


class Writers:
    """The writers of one host."""

    def __init__(self, host: Host, options: LearnSettings) -> None:
        self._host = host
        self._options = options
        #: Of the plan that was written for last: its concepts are mostly asked for one after another.
        self._read: tuple[str, int, BuiltIn] | None = None

    @property
    def _llm(self) -> LLM | None:
        """What writes questions, where the deployment has a language model and lets it."""
        return self._host.hooks.llm if self._options.llm_questions else None

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same sources would give other questions."""
        options, llm = self._options, self._llm
        model = "built-in" if llm is None else llm.metadata.model_name
        return f"{_VERSION}/{model}/{options.chunks}/{options.questions}/{options.seed}"

    def write(
        self,
        plan: str,
        concept: str,
        names: Mapping[str, str],
        chunks: Sequence[SourceChunk],
        everything: Mapping[str, Sequence[SourceChunk]],
    ) -> tuple[Question, ...]:
        """The concept's questions out of its chunks. ``names``: of all concepts; ``everything``: what they rest on."""
        built_in = self._built_in(plan, names, [chunk for each in everything.values() for chunk in each])
        most, name = self._options.questions, names.get(concept, concept)
        asked: tuple[Question, ...] = ()
        if self._llm is not None and (own := built_in.owned(concept, chunks)):
            from .by_model import ModelWriter

            try:
                asked = ModelWriter(self._host, self._options, built_in.material).write(plan, concept, name, own)
            except LLMError as error:
                _log.info("questions of %s/%s are the built-in ones: %s", plan, concept, error)
        more = built_in.write(plan, concept, name, chunks, most) if len(asked) < most else ()
        done = {_place(one) for one in asked} | {normal(one.key) for one in asked}
        return (*asked, *(one for one in more if not {_place(one), normal(one.key)} & done))[:most]

    def feedback(self, question: Question, answer: str, finding: Finding) -> str | None:
        """A language model's feedback that passes the citation check; ``None``: take the built-in one."""
        if self._host.hooks.llm is None or not self._options.llm_feedback or finding.verdict == "right":
            return None
        from .by_model import model_feedback

        try:
            return model_feedback(self._host, question, answer, finding)
        except LLMError as error:
            _log.info("feedback is the built-in one: %s", error)
            return None

    def _built_in(self, plan: str, names: Mapping[str, str], chunks: Sequence[SourceChunk]) -> BuiltIn:
        texts = tuple((chunk.concept, chunk.chunk_id, chunk.content) for chunk in chunks)
        needs, leads = needs_and_leads(self._host.once(PlanStore).edges(plan))
        #: For each concept its prerequisites, and those that share one with it.
        near = {one: set(found).union(*(leads[each] for each in found)) for one, found in needs.items()}
        key = hash((texts, tuple(names.items()), tuple((one, *sorted(more)) for one, more in sorted(near.items()))))
        kept = self._read
        if kept is None or kept[:2] != (plan, key):
            kept = self._read = (plan, key, BuiltIn(Material(chunks), names=names, near=near, seed=self._options.seed))
        return kept[2]


def _place(question: Question) -> tuple[str, int, bool]:
    return (question.support.chunk_id, question.support.start, question.form == "open")
