"""Questions and feedback by the deployment's language model, behind the same proof as the built-in ones.

Its output is untrusted: it is read as data of one form, every question must be proved by a span of a source, and
addresses come from the sources alone.
"""

from __future__ import annotations

import logging
import random
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from pydantic import BaseModel, Field, StringConstraints, ValidationError

from ragstone.core import Host
from ragstone.core.citations import CitableChunks, split_answer
from ragstone.core.llm import ask_llm
from ragstone.core.text import escape_fences

from ..plans.records import SourceChunk
from ..prompts import FEEDBACK, QUESTION
from ..settings import LearnSettings
from .reading.material import Material
from .reading.sentences import bare_title
from .records import Asked, Finding, Question, QuestionSource, Support
from .writing.built_in import id_of
from .writing.proof import fault_of

_log = logging.getLogger(__name__)

_JSON = re.compile(r"\{.*\}", re.DOTALL)
_AGAIN = """\
That was no JSON of the form that was asked for ({fault}). Write the whole of it once more, as JSON alone."""
#: "According to the article on TITLE, …", "The chapter on TITLE explains that …".
_OPENING = (
    r"^(?:as |according to )?(?:the )?(?:wikipedia |wikibooks )?(?:(?:article|chapter) (?:on|about) )?"
    r"[\"“]?(?:{title})[\"”]?"
    r"(?:,| (?:explains|says|states|describes|tells|notes)(?: that|,)?) "
)
_MOST = 20
_LONGEST_FEEDBACK = 900
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1200)]


class _Source(BaseModel):
    index: int = Field(ge=1, le=100)


class _Question(BaseModel):
    form: Literal["choice", "blank", "open"]
    text: Line
    options: list[Line] = Field(default_factory=list, max_length=8)
    key: Line
    quote: Line
    explanation: Line
    sources: list[_Source] = Field(min_length=1, max_length=8)


class _Questions(BaseModel):
    questions: list[_Question] = Field(min_length=1, max_length=_MOST)


class ModelWriter:
    """Asks the host's language model for questions. ``material``: what the plan's sources say."""

    def __init__(self, host: Host, options: LearnSettings, material: Material) -> None:
        self._host = host
        self._options = options
        self._material = material

    def write(self, plan: str, concept: str, name: str, chunks: Sequence[SourceChunk]) -> tuple[Question, ...]:
        """The questions that passed the proof. Where its form is wrong the model is asked once more.

        Raises ``LLMError`` where the model does not answer; what cannot be read after the second try is no question.
        """
        most = self._options.questions
        shown = offered([(chunk.page_title, chunk.section, chunk.content) for chunk in chunks])
        messages = self._host.hooks.prompts[QUESTION].format_messages(
            concept=escape_fences(name), context_str=shown, count=str(min(most, _MOST))
        )
        reply = ask_llm(self._host.hooks.llm, self._host.settings.llm, messages)
        read = _read(reply)
        if isinstance(read, str):
            again = [*messages, ChatMessage(role=MessageRole.ASSISTANT, content=reply[:8000]),
                     ChatMessage(role=MessageRole.USER, content=_AGAIN.format(fault=read))]  # fmt: skip
            read = _read(ask_llm(self._host.hooks.llm, self._host.settings.llm, again))
        if isinstance(read, str):
            _log.info("the language model's questions cannot be read: %s", read)
            return ()
        by_id, kept, left_out = {chunk.chunk_id: chunk for chunk in chunks}, list[Question](), Counter[str]()
        for one in read.questions:
            question = self._question(plan, concept, one, chunks)
            fault = "its quote is in no source" if question is None else fault_of(question, by_id, self._material)
            if question is None or fault is not None:
                left_out[fault or ""] += 1
            elif all(question.question_id != other.question_id for other in kept):
                kept.append(question)
        if left_out:
            _log.info("questions of the language model that were not kept: %s", dict(left_out))
        return tuple(kept[:most])

    def _question(self, plan: str, concept: str, one: _Question, chunks: Sequence[SourceChunk]) -> Question | None:
        cited = sorted({source.index for source in one.sources if source.index <= len(chunks)})
        support = next((found for index in cited if (found := _found(one.quote, chunks[index - 1]))), None)
        if support is None:
            return None
        question_id = id_of(plan, concept, one.text, one.key)
        options = list(one.options) if one.form == "choice" else []
        random.Random(f"{self._options.seed}\n{question_id}").shuffle(options)  # noqa: S311 - an order, no secret
        asked: Asked = "definition" if one.form == "open" else "term"
        writer = self._host.hooks.llm.metadata.model_name if self._host.hooks.llm is not None else ""
        return Question(
            question_id, plan, concept, one.form, asked, one.text, one.key, tuple(options), (), one.explanation,
            support,
            tuple(QuestionSource.of(chunks[index - 1], index) for index in cited), writer or "language model",
        )  # fmt: skip


def model_feedback(host: Host, question: Question, answer: str, finding: Finding) -> str | None:
    """Feedback of which every sentence is supported by the source that it cites, or is the source's own; else ``None``.

    Raises ``LLMError``.
    """
    source = question.source
    shown = offered([(source.page_title, source.section, question.support.text)], first=source.index)
    messages = host.hooks.prompts[FEEDBACK].format_messages(
        context_str=shown, question=escape_fences(question.text), key=escape_fences(question.key),
        answer=escape_fences(answer),
        verdict={"partly": "partly right", "wrong": "not right"}.get(finding.verdict, "right"),
    )  # fmt: skip
    reply = ask_llm(host.hooks.llm, host.settings.llm, messages).strip()
    if not reply or len(reply) > _LONGEST_FEEDBACK:
        return None
    # The check numbers what it was given from 1; a source's own number may be another one.
    before = [""] * (source.index - 1)
    title = f"{bare_title(source.page_title)}\n{source.section}"
    check = CitableChunks([*before, question.support.text], [*before, title])
    sentences: dict[str, None] = {}
    for sentence in split_answer(reply):
        found = check.check(_bare(sentence, source.page_title))
        if found.fault is not None and not found.replacements:
            _log.info("feedback is the built-in one: %s", found.fault)
            return None
        instead = [f"{support.text} [{support.chunk}]" for support in found.replacements]
        sentences.update(dict.fromkeys(instead if found.fault is not None else [sentence]))
    opening = "Partly right." if finding.verdict == "partly" else "Not right."
    return f"{opening} {' '.join(sentences)}"


def _bare(sentence: str, title: str) -> str:
    """The sentence without "The article on TITLE explains that", which its source does not say of itself."""
    named = "|".join(re.escape(each) for each in {title, bare_title(title)})
    rest = re.sub(_OPENING.format(title=named), "", sentence, count=1, flags=re.IGNORECASE)
    return rest[:1].upper() + rest[1:]


def offered(chunks: Sequence[tuple[str, str, str]], first: int = 1) -> str:
    """``(title, section, text)`` as numbered sources, in a fence that nobody who wrote them can close."""
    fence = f"source-{secrets.token_hex(8)}"
    return "\n\n".join(
        f'[{number}] "{escape_fences(title)}" — {escape_fences(section)}\n<{fence}>\n{escape_fences(text)}\n</{fence}>'
        for number, (title, section, text) in enumerate(chunks, start=first)
    )


def _read(reply: str) -> _Questions | str:
    """What the model wrote, or what is wrong with it."""
    found = _JSON.search(reply)
    if found is None:
        return "there is no JSON object in it"
    try:
        return _Questions.model_validate_json(found[0].replace("&lt;", "<"))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))[:100]}: {first['msg'][:200]}"


def _found(quote: str, chunk: SourceChunk) -> Support | None:
    """Where the chunk has the quote; blanks may differ, words may not."""
    words = quote.strip(' “”"').split()
    if not words:
        return None
    match = re.search(r"\s+".join(re.escape(word) for word in words), chunk.content)
    return None if match is None else Support(chunk.chunk_id, match.start(), match.end(), match[0])
