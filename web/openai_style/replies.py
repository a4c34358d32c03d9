"""An answer as a chat completion, in one piece or in chunks, and errors as OpenAI's clients know them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from werkzeug.exceptions import NotFound

from ragstone.core import Answer, Delta
from ragstone.core.pages import event

from ..errors import BUG, problem_of
from ..sources import source_list, url_citations
from .chat_request import Chat

DONE = "data: [DONE]\n\n"
_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
_CODES = {
    HTTPStatus.UNAUTHORIZED: "invalid_api_key",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_exceeded",
}


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


class NoSuchModel(NotFound):
    """No assistant of that name, or none that this key may ask."""

    #: What clients look for.
    openai_code = "model_not_found"

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"There is no model {name[:80]!r} here. Known: {', '.join(known) or 'none'}.")


def error_of(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Problem details in OpenAI's form: ``{"error": {"message", "type", "param", "code"}}``."""
    status = problem["status"]
    kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    return {
        "error": {
            "message": problem["detail"],
            "type": _TYPES.get(status, kind),
            "param": None,
            "code": problem.get("code", _CODES.get(status)),
        }
    }
