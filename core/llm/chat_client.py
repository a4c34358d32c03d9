"""A client of OpenAI's chat completions protocol with httpx alone, for one whole reply.

For plugins that ask a model of their own beside the deployment's: one deadline for the whole request, the key read from
the environment, sent in one header and removed from the reply, no redirect followed. An SDK cannot take its place: the
base install has none, httpx's timeouts begin again with each byte, and who pays for a request must know its size before
it is sent, and of a failure whether the server was reached and which status it gave.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Literal

from ..runtime.background import in_background
from .errors import NO_SUCH_SERVER, Failed, empty, timed_out, translate_error
from .keys import Key, read_key
from .requests import Call, clients, current

#: No reply. ``reached``: whether the request may have come to the server; ``refused``: with which HTTP status.
ChatFailed = Failed


@dataclass(frozen=True)
class ChatServer:
    """A server, its model, and the limits of a reply."""

    #: The address with the version: ``http://127.0.0.1:8080/v1``.
    base: str
    model: str
    #: Tokens of one reply.
    max_tokens: int
    #: Seconds for the whole request.
    timeout: float
    #: Environment variables of which the first that holds a key is sent as bearer token.
    key_variables: tuple[str, ...] = ()
    #: Whether the environment's proxies are used.
    proxies: bool = False
    #: Ask for the probabilities of the tokens; a server that does not support it may refuse.
    logprobs: bool = False
    #: The limit's name in the protocol: newer models take only the second.
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: float | None = 0.0

    def body(self, prompt: str) -> bytes:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            self.limit: self.max_tokens,
            "stream": False,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.logprobs:
            body["logprobs"] = True
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


@dataclass(frozen=True)
class ChatReply:
    """The model's text and the server's counts."""

    text: str
    #: Tokens that the server counted as read and written; ``None`` where it gives no valid number.
    input_tokens: int | None = None
    output_tokens: int | None = None
    #: Geometric mean of the tokens' probabilities, 0 to 1, where the server gave them.
    likelihood: float | None = None
    #: Whether it stopped at ``max_tokens``.
    cut_short: bool = False


def ask_chat(server: ChatServer, prompt: str) -> ChatReply:
    """The model's reply to one message. Raises ``ChatFailed``, never later than ``server.timeout``."""
    call = Call()
    reply = in_background(lambda: _ask(server, prompt, call), "ragstone-chat")
    error: BaseException | None
    try:
        error = reply.exception(server.timeout)
    except TimeoutError:
        error = timed_out(server.timeout)
    finally:
        call.end()
    if error is not None:  # raised here, where it has no context: a log would print its message as well
        raise translate_error(error, call, server.key_variables)
    return _parse(reply.result(), call.key)


def _ask(server: ChatServer, prompt: str, call: Call) -> bytes:
    """In the thread: one request, until its end or until it is cut."""
    current.set(call)
    key = read_key(*server.key_variables)
    client, _ = clients(lambda: key, ("Authorization", "Bearer "), server.timeout, proxies=server.proxies)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    with client:
        response = client.post(
            f"{server.base.rstrip('/')}/chat/completions", content=server.body(prompt), headers=headers
        )
    response.raise_for_status()
    return response.content


def _parse(reply: bytes, key: Key | None) -> ChatReply:
    try:
        body = json.loads(reply)
        choice = body["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        text = choice = body = None
    if not isinstance(text, str) or not isinstance(choice, dict):
        raise Failed("the language model's server does not speak the protocol of chat completions", hint=NO_SUCH_SERVER)
    from ..text import storable  # imports numpy, which settings do without

    text = storable(text)
    if not text.strip():
        raise empty()
    usage = body.get("usage")
    return ChatReply(
        text=text if key is None else key.removed_from(text),
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        likelihood=_likelihood(choice.get("logprobs")),
        cut_short=choice.get("finish_reason") == "length",
    )


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _likelihood(logprobs: object) -> float | None:
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    found = [each.get("logprob") for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    known = [float(value) for value in found if isinstance(value, int | float) and math.isfinite(value) and value <= 0]
    return math.exp(sum(known) / len(known)) if known and len(known) == len(found) else None
