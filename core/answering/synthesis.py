"""Synthesizers: extractive, or generative behind the citation check."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from ..citations import Splitter
from ..errors import LLMBusy, LLMError
from .draft import Draft, Sentence
from .extractive import choose
from .prompting import PassagePrompt
from .verification import Proofreading

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from llama_index.core.llms import LLM, ChatMessage
    from llama_index.core.prompts import BasePromptTemplate

    from ..embedding import Encoder
    from ..llm.settings import LLMSettings
    from ..llm.streaming import Deadline
    from ..retrieval.models import Retrieval

_log = logging.getLogger(__name__)


class Synthesizer(Protocol):
    """Makes an answer's sentences out of the passages that passed the gate."""

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:
        """The sentences in order, each one already checked. Raises ``LLMError``."""


class Extractive:
    """The passages' own sentences, word for word. Needs no model and always says the same."""

    def __init__(self, encoder: Encoder | None) -> None:
        self._encoder = encoder

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:  # noqa: ARG002
        """See ``extractive.choose``."""
        before: int | None = None
        for quote in choose(retrieval, self._encoder):
            several_lines = "\n" in quote.text
            yield Sentence(quote.text, (quote.passage,), (quote.text,), before != quote.passage or several_lines)
            before = -1 if several_lines else quote.passage


class Generative:
    """A language model's sentences, each let through only when the passages that it cites bear it."""

    def __init__(self, llm: LLM, prompt: BasePromptTemplate, settings: LLMSettings) -> None:
        self._llm = llm
        self._prompt = prompt
        self._settings = settings

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:
        """The model's checked sentences, each as soon as it stands; what did not pass is in ``draft.dropped``.

        What does not pass is asked for again, once, with the reasons. Everything happens before one deadline.
        """
        # Here, for it brings an HTTP client that extractive answers do without.
        from ..llm.streaming import Deadline

        deadline = Deadline(self._settings.timeout)
        offer = PassagePrompt(retrieval, self._prompt, self._settings)
        check = Proofreading(offer, draft)
        yield from self._first(offer, deadline, check)
        if check.unsupported:
            yield from self._second(offer, deadline, check)

    def _first(self, offer: PassagePrompt, deadline: Deadline, check: Proofreading) -> Iterator[Sentence]:
        """The answer. Before its first sentence is out, a server that stumbled is asked once more."""
        from ..llm.errors import Failed

        given = retried = False
        while True:
            failure: Failed | None = None
            try:
                with closing(self._written(offer.messages, deadline, check)) as sentences:
                    for sentence in sentences:
                        given = True
                        yield sentence
            except Failed as error:
                failure = error
            if failure is None:
                return
            if failure.pause is None or given or retried:
                raise failure
            if failure.pause >= deadline.left:
                raise LLMError(failure.what, hint="it asks to wait longer than [llm] timeout leaves")
            _log.info("%s; asked again in %.1f s", failure.what, failure.pause)
            retried = True
            check.forget()
            time.sleep(failure.pause)

    def _second(self, offer: PassagePrompt, deadline: Deadline, check: Proofreading) -> Iterator[Sentence]:
        """What was dropped, written again. The answer stands without it, so its failure is none of the answer's."""
        from ..llm.errors import Failed

        messages = offer.again(check.unsupported)
        try:
            with closing(self._written(messages, deadline, check)) as sentences:
                yield from sentences
        except (Failed, LLMBusy) as error:
            _log.info("dropped sentences were not written again: %s", error.what)

    def _written(
        self, messages: list[ChatMessage], deadline: Deadline, check: Proofreading
    ) -> Generator[Sentence, None, None]:
        from ..llm.streaming import Reply

        reply, splitter = Reply(self._llm, messages, deadline), Splitter()
        with closing(reply.pieces()) as pieces:
            for piece in pieces:
                for written in splitter.feed(piece):
                    yield from check.read(reply.without_key(written))
        rest = splitter.rest()
        for index, written in enumerate(rest):
            yield from check.read(reply.without_key(written), unfinished=reply.cut_short and index == len(rest) - 1)
        check.end()


__all__ = ["Draft", "Extractive", "Generative", "Sentence", "Synthesizer"]
