"""The request of a chat completion, as a question to an assistant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragstone.core import BadRequest, Question, Turn
from ragstone.core.answering import LONGEST_HISTORY, LONGEST_QUESTION, LONGEST_SELECTION

from ..sources import without_sources

MOST_MESSAGES = 2_000
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_READ = frozenset({"model", "messages", "stream", "stream_options", "n", "response_format", "tool_choice", "ragstone"})
#: Most names of parameters without effect that are returned, and their most letters.
_MOST_NAMED, _LONGEST_NAME = 20, 40


@dataclass(frozen=True)
class Chat:
    """A chat completion that is asked for."""

    model: str
    question: Question
    stream: bool
    include_usage: bool
    #: Names of what was sent and has no effect.
    ignored: tuple[str, ...]

    @property
    def conversation(self) -> str:
        """The text that is read of the conversation, to count its tokens."""
        earlier = (f"{turn.question}\n{turn.answer}" for turn in self.question.history)
        return "\n".join((*earlier, self.question.text))


def read_chat(body: dict[str, Any]) -> Chat:
    """The request. Raises ``BadRequest`` for what cannot be answered as it is asked for."""
    _refuse_what_cannot_be(body)
    question, history, roles = _conversation(body.get("messages"))
    options = _mapping(body.get("stream_options"), "stream_options")
    stream = _flag(body, "stream")
    if options and not stream:
        raise BadRequest("stream_options is only for stream: true")
    own = _mapping(body.get("ragstone"), "ragstone")
    if unknown := sorted(str(key)[:_LONGEST_NAME] for key in own if key not in {"top_k", "narrow"}):
        raise BadRequest(f"unknown key {unknown[0]!r} in ragstone", hint="known: top_k, narrow")
    filters = _mapping(own.get("narrow"), "ragstone.narrow")
    others = sorted(str(key)[:_LONGEST_NAME] for key, value in body.items() if key not in _READ and value is not None)
    return Chat(
        model=string(body, "model"),
        question=Question(question, top_k=own.get("top_k"), filters=filters, history=history),
        stream=stream,
        include_usage=_flag(options, "include_usage"),
        ignored=(*roles, *others[:_MOST_NAMED]),
    )


def string(body: dict[str, Any], key: str) -> str:
    """A value that must be there. Raises ``BadRequest``."""
    value = body.get(key)
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{key} must be a string" if key in body else f"{key} is missing")
    return value


def _refuse_what_cannot_be(body: dict[str, Any]) -> None:
    """Raise ``BadRequest`` for what would change the answer's form, and would be missed in it."""
    if body.get("n") not in (None, 1) or isinstance(body.get("n"), bool):
        raise BadRequest("n must be 1: a question has one answer here")
    form = body.get("response_format")
    if form is not None and _mapping(form, "response_format").get("type", "text") != "text":
        raise BadRequest("answers are text with citations: response_format can only be text")
    if body.get("tool_choice") not in (None, "none", "auto"):
        raise BadRequest("assistants call no tools: tool_choice can only be none or auto")


def _conversation(messages: object) -> tuple[str, tuple[Turn, ...], tuple[str, ...]]:
    """The last question, the turns before it, and the roles whose messages are not read."""
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages must be a list of at least one message")
    if len(messages) > MOST_MESSAGES:
        raise BadRequest(f"there are {len(messages):,} messages; {MOST_MESSAGES:,} are allowed")
    last = messages[-1]
    if isinstance(last, dict) and last.get("role") in _ROLES and last["role"] != "user":
        raise BadRequest(f"the last message must be the user's, which is the question, not of the role {last['role']}")
    read: list[tuple[str, str]] = []
    unread: list[str] = []
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if role not in _ROLES:
            raise BadRequest(f"a message must be an object with a role: {', '.join(_ROLES)}")
        text = _text(message.get("content"), role)
        if role in {"user", "assistant"}:
            read.append((role, text))
        else:
            unread.append(f"{role} messages")
    return read[-1][1], tuple(_turns(read[:-1])[-LONGEST_HISTORY:]), tuple(dict.fromkeys(unread))


def _turns(read: list[tuple[str, str]]) -> list[Turn]:
    turns: list[Turn] = []
    for role, text in read:
        if role == "user":
            turns.append(Turn(text))
        elif turns:
            turns[-1] = Turn(turns[-1].question, "\n".join(filter(None, (turns[-1].answer, without_sources(text)))))
    # A conversation grows, and its client does not know the limits: what is beyond them is left out, not refused.
    asked = [turn for turn in turns if turn.question.strip() and len(turn.question) <= LONGEST_QUESTION]
    return [turn for turn in asked if len(turn.answer) <= LONGEST_SELECTION]


def _text(content: object, role: str) -> str:
    """The content, which is a string or a list of parts. Raises ``BadRequest``."""
    if isinstance(content, str):
        return content
    if content is None and role != "user":
        return ""  # of an assistant that called a tool
    if not isinstance(content, list):
        raise BadRequest("content must be a string or a list of parts")
    texts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "refusal" and role == "assistant":
            continue
        if kind != "text" or not isinstance(part.get("text"), str):
            raise BadRequest(f"a part must be of type text, not {str(kind)[:_LONGEST_NAME]!r}")
        texts.append(part["text"])
    return "\n".join(texts)


def _mapping(value: object, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRequest(f"{name} must be an object")
    return value


def _flag(body: dict[str, Any], key: str) -> bool:
    value = body.get(key)
    if value is not None and not isinstance(value, bool):
        raise BadRequest(f"{key} must be true or false")
    return bool(value)
