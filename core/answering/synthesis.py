"""Synthesizers: extractive, or generative behind the citation check."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from ..citations import Splitter
from ..errors import LLMError
from ..runtime.request import Deadline
from ..text.shown_text import join_lines, without_addresses
from .answer import Draft, Sentence
from .extractive import choose
from .prompting import ChunkPrompt
from .table_rows import header_of, line_of
from .verification import Proofreading

if TYPE_CHECKING:
    from collections.abc import Generator

    from llama_index.core.llms import LLM, ChatMessage
    from llama_index.core.prompts import BasePromptTemplate

    from ..llm.settings import LLMSettings
    from ..retrieval.models import Retrieval

_log = logging.getLogger(__name__)


class Synthesizer(Protocol):
    """Makes an answer's sentences out of the chunks that passed the gate."""

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:
        """The sentences in order, each one already checked. Raises ``LLMError``."""


class Extractive:
    """The chunks' own sentences, word for word. Deterministic; needs no language model."""

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:  # noqa: ARG002
        """See ``extractive.choose``. Rows of one table come together, with its header."""
        before: int | None = None
        quotes = choose(retrieval)
        headers = [(quote.chunk, header_of(quote, retrieval)) for quote in quotes]
        for quote, header in zip(quotes, headers, strict=True):
            text = retrieval.nodes[quote.chunk].node.get_content()
            shown = quote.text
            if quote.kind != "metadata":  # the lines of a header are no paragraph
                shown = without_addresses(join_lines(text, quote.start, quote.end, retrieval.terms(quote.chunk).units))
            if header[1]:
                if headers.index(header) < quotes.index(quote):
                    continue
                rows = [line_of(text, each.start) for each, own in zip(quotes, headers, strict=True) if own == header]
                shown = "\n".join((header[1], *rows))
            several_lines = "\n" in shown
            yield Sentence(shown, (quote.chunk,), (quote.text,), before != quote.chunk or several_lines)
            before = -1 if several_lines else quote.chunk


class Generative:
    """A language model's sentences, each only where the chunks that it cites support it."""

    def __init__(self, llm: LLM, prompt: BasePromptTemplate, settings: LLMSettings) -> None:
        self._llm = llm
        self._prompt = prompt
        self._settings = settings

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:
        """The model's supported sentences, each as soon as it is checked; the others are in ``draft.dropped``.

        A request that fails before its first sentence is out is sent once more. Everything is within one deadline.
        """
        # Imported here: they load an HTTP client, which extractive answers do not need.
        from ..llm.errors import Failed

        deadline = Deadline(self._settings.timeout)
        offer = ChunkPrompt(retrieval, self._prompt, self._settings)
        check = Proofreading(offer, draft)
        given = retried = False
        while True:
            failure: Failed | None = None
            try:
                with closing(self._checked(offer.messages, deadline, check)) as sentences:
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
            check.reset()
            time.sleep(failure.pause)

    def _checked(
        self, messages: list[ChatMessage], deadline: Deadline, check: Proofreading
    ) -> Generator[Sentence, None, None]:
        from ..llm.streaming import Reply

        reply, splitter = Reply(self._llm, messages, deadline), Splitter()
        with closing(reply.pieces()) as pieces:
            for piece in pieces:
                for written in splitter.feed(piece):
                    yield from check.read(reply.clean(written))
        rest = splitter.rest()
        for index, written in enumerate(rest):
            yield from check.read(reply.clean(written), unfinished=reply.cut_short and index == len(rest) - 1)
        check.drop_announcing()
