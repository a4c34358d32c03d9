"""Finds what answers a question about a source as a whole, or about a part that the answer before it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from llama_index.core.schema import BaseNode

from ..errors import PluginError
from ..retrieval.evidence_gate import Verdict
from ..retrieval.follow_up import Turn, follow_up
from ..retrieval.models import Retrieval
from ..retrieval.parts import parts_of
from ..retrieval.restatement import asked_again
from ..text.antecedents import with_subject
from ..text.rewording import about_source
from .extractive import choose
from .greetings import is_greeting
from .overview import Overview, OverviewInParts
from .profile import Profile
from .question import Question

#: Earlier questions that are looked at for the chunk of an answer, past those that were refused.
_LOOKED_BACK = 3


class OverviewFinder:
    """The overviews of one request. ``judged`` retrieves what an earlier question was answered from."""

    def __init__(self, profile: Profile, judged: Callable[[Question], tuple[Retrieval, Verdict]]) -> None:
        self._profile = profile
        self._judged = judged
        #: The first chunks of the answers before, by the number of turns, so that each is looked for once.
        self._chunks: dict[int, BaseNode | None] = {}

    def find(self, question: Question) -> Overview | None:
        """What answers the question; ``None`` where it is about neither the whole nor a part, or asks for other things
        too."""
        if parts := parts_of(question.text):
            turns = [*question.history, *map(Turn, parts)]
            asked = (
                replace(question, text=part, history=turns[: len(question.history) + number])
                for number, part in enumerate(parts)
            )
            found = list(map(self._find, asked))
            return OverviewInParts.of([each for each in found if each]) if all(found) else None
        return self._find(question)

    def _find(self, question: Question) -> Overview | None:
        asked = follow_up(question.text, question.history)
        earlier = [turn.question for turn in question.history if not is_greeting(turn.question)]
        others = (asked.parallel, with_subject(question.text, earlier)) if asked else ()
        texts = [about_source(each, earlier) for each in (question.text, *others) if each]
        found = (self._profile.overview(each, question.filters, lambda: self._chunk_before(question)) for each in texts)
        if (overview := next((each for each in found if each is not None), None)) is not None:
            if not isinstance(overview, Overview):
                gives = f"{type(overview).__name__} {str(overview)[:60]!r}"
                raise PluginError(f"the overview of {self._profile.name} gives {gives}, not an Overview")
            return overview
        if asked and asked.asks_for_more and (before := next(_earlier(question), None)):
            overview = self.find(before)
            return overview and overview.after(" ".join(turn.answer for turn in question.history))
        return None

    def _chunk_before(self, question: Question) -> BaseNode | None:
        """The first chunk that the latest earlier question is answered from; ``None`` where there is none."""
        known = len(question.history)
        if known not in self._chunks:
            found = (self._chunk_of(before) for before in islice(_earlier(question), _LOOKED_BACK))
            self._chunks[known] = next((chunk for is_answered, chunk in found if is_answered), None)
        return self._chunks[known]

    def _chunk_of(self, question: Question) -> tuple[bool, BaseNode | None]:
        """Whether the question is answered, and the first chunk of its answer, if that is from any."""
        if (overview := self.find(question)) is not None:
            return True, next(iter(overview.nodes), None)
        retrieval, verdict = self._judged(question)
        quotes = choose(retrieval) if verdict != "refused" else []
        return bool(quotes), retrieval.nodes[quotes[0].chunk].node if quotes else None


def _earlier(question: Question) -> Iterator[Question]:
    """The questions before it but greetings, the latest first."""
    for at in reversed(range(len(question.history))):
        text, history = asked_again(question.history[at].question, question.history[:at])
        if not is_greeting(text):
            yield replace(question, text=text, history=tuple(history))
