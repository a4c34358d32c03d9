"""A language model's whole reply, for plugins that need data and no answer with citations."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ..errors import LLMError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.llms import LLM, ChatMessage

    from .settings import LLMSettings


def ask_llm(llm: LLM | None, settings: LLMSettings, prompt: str | Sequence[ChatMessage]) -> str:
    """The language model's whole reply to ``prompt``, under the deadline of ``[llm] timeout``.

    ``llm``, ``settings``: ``host.hooks.llm`` and ``host.settings.llm``.

    ``prompt``: a user's message, or the messages of a template.

    The reply is untrusted input: nothing of it is checked. Raises ``LLMError`` where no model is set, where it fails,
    is late, or stops at its limit of tokens.
    """
    if llm is None:
        raise LLMError("no language model is set", hint="see [llm] in the settings")
    from llama_index.core.llms import ChatMessage, MessageRole

    from ..llm.streaming import Deadline, Reply  # brings an HTTP client that extractive answers do without

    messages = [ChatMessage(role=MessageRole.USER, content=prompt)] if isinstance(prompt, str) else prompt
    reply = Reply(llm, messages, Deadline(settings.timeout))
    with closing(reply.pieces()) as pieces:
        text = "".join(pieces)
    if reply.cut_short:
        raise LLMError("the language model stopped at its limit of tokens", hint="raise max_tokens in [llm]")
    return reply.without_key(text)
