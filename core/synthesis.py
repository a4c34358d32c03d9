"""From passages to an answer's text: with the passages' own sentences, or with a language model behind the check."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from llama_index.core.schema import MetadataMode

from .citations import check_sentence, split_answer
from .errors import LLMError
from .extractive import choose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llama_index.core.llms import LLM
    from llama_index.core.prompts import BasePromptTemplate

    from .encoder import Encoder
    from .retrieval import Retrieval


@dataclass(frozen=True)
class Sentence:
    """A sentence that stands: its text without markers, and the numbers of its passages (from 0)."""

    text: str
    passages: tuple[int, ...]
    #: The passage's own words that bear it.
    quote: str
    #: Whether a new paragraph begins with it.
    opens_paragraph: bool = False


@dataclass
class Draft:
    """What a synthesizer leaves behind beside its sentences."""

    dropped: list[str] = field(default_factory=list)


class Synthesizer(Protocol):
    """Makes an answer's sentences out of the passages that passed the gate."""

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Iterator[Sentence]:
        """The sentences in order, each one already checked. Raises ``LLMError``."""


class Extractive:
    """The passages' own sentences, word for word. Needs no model and always says the same."""

    def __init__(self, encoder: Encoder | None) -> None:
        self._encoder = encoder

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Iterator[Sentence]:  # noqa: ARG002
        """See ``extractive.choose``."""
        before: int | None = None
        for quote in choose(retrieval, self._encoder):
            several_lines = "\n" in quote.text
            yield Sentence(quote.text, (quote.passage,), quote.text, before != quote.passage or several_lines)
            before = -1 if several_lines else quote.passage


class Generative:
    """A language model's sentences, each let through only when the passages that it cites bear it."""

    def __init__(self, llm: LLM, prompt: BasePromptTemplate) -> None:
        self._llm = llm
        self._prompt = prompt

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Iterator[Sentence]:
        """The model's checked sentences; what did not pass is in ``draft.dropped``."""
        texts = [passage.node.get_content() for passage in retrieval.nodes]
        # The model may not be asked about what it was not shown: the check sees the same text, headings included.
        shown = [passage.node.get_content(MetadataMode.LLM) for passage in retrieval.nodes]
        for written in split_answer(self._write(retrieval.question, shown)):
            checked = check_sentence(written, shown)
            if checked.fault is not None:
                draft.dropped.append(f"{checked.text} ({checked.fault})")
                continue
            cited = tuple(number - 1 for number in checked.cited)
            yield Sentence(checked.text, cited, texts[cited[0]])

    def _write(self, question: str, shown: list[str]) -> str:
        # Nobody who wrote a passage can know the fence, so no passage can close it.
        fence = f"passage-{secrets.token_hex(8)}"
        context = "\n\n".join(
            f"<{fence} number={number}>\n{text.replace('<', '&lt;')}\n</{fence}>"
            for number, text in enumerate(shown, start=1)
        )
        messages = self._prompt.format_messages(context_str=context, query_str=question)
        try:
            return str(self._llm.chat(messages).message.content or "")
        except Exception as error:  # every integration raises its own kinds
            raise LLMError(
                f"the language model failed ({type(error).__name__})",
                hint="see the log, or set another [llm]",
            ) from error
