"""An answer as a chat completion: in one piece, or in chunks."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragstone.core import Answer
from ragstone.core.pages import event

from ..errors import BUG, problem_of
from ..sources import source_list, url_citations
from .failures import error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from ragstone.core import Delta

    from .chat_request import Chat

DONE = "data: [DONE]\n\n"


@dataclass(frozen=True)
class Reply:
    """What answers to one request have in common."""

    chat: Chat
    #: Tokens of a text.
    count: Callable[[str], int]
    #: Address of this server.
    base: str
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, answer: Answer) -> dict[str, Any]:
        text = answer.text + source_list(answer.citations, self.base)
        message = {
            "role": "assistant",
            "content": text,
            "refusal": answer.text if answer.refused else None,
            "annotations": url_citations(answer.text, answer.citations, self.base),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": self._usage(text),
            "ragstone": self._own(answer),
        }

    def events(self, items: Iterable[Delta | Answer]) -> Generator[str, None, None]:
        """The completion as server-sent events. What fails on the way is the last of them."""
        sent: list[str] = []
        try:
            yield self._chunk({"role": "assistant", "content": ""})
            for item in items:
                if isinstance(item, Answer):
                    yield from self._end(item, sent)
                    return
                sent.append(item.text)
                yield self._chunk({"content": item.text})
        except (Exception, SystemExit) as error:  # the status has been sent: only an event can report it
            yield event(error_of(problem_of(error)))
        else:
            yield event(error_of(BUG))

    def _end(self, answer: Answer, sent: list[str]) -> Iterator[str]:
        rest = ("" if sent else answer.text) + source_list(answer.citations, self.base)
        if rest:
            yield self._chunk({"content": rest})
        if noted := url_citations(answer.text, answer.citations, self.base):
            yield self._chunk({"annotations": noted})
        if answer.refused:
            yield self._chunk({"refusal": answer.text})
        yield self._chunk({}, finish_reason="stop", ragstone=self._own(answer))
        if self.chat.include_usage:
            usage = self._usage("".join(sent) + rest)
            yield event({**self._head("chat.completion.chunk"), "choices": [], "usage": usage})
        yield DONE

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        # with include_usage every chunk but the last one has it as null
        usage = {"usage": None} if self.chat.include_usage else {}
        return event({**self._head("chat.completion.chunk"), "choices": [choice], **usage, **more})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.chat.model}

    def _own(self, answer: Answer) -> dict[str, Any]:
        return {**answer.to_dict(), "ignored": list(self.chat.ignored)}

    def _usage(self, text: str) -> dict[str, int]:
        asked, answered = self.count(self.chat.conversation), self.count(text)
        return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
