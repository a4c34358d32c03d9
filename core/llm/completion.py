"""A language model's whole reply, for a plugin that wants data of it and no answer with citations."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ..errors import LLMError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.llms import LLM, ChatMessage

    from .settings import LLMSettings


def ask_llm(llm: LLM | None, settings: LLMSettings, prompt: str | Sequence[ChatMessage]) -> str:
    """All that the language model says to ``prompt``, under the deadline of ``[llm] timeout``.

    ``llm``, ``settings``: ``host.hooks.llm`` and ``host.settings.llm``.

    ``prompt``: what a user says, or the messages of a template.

    Nothing of it is checked: whatever is in it came from a stranger. Raises ``LLMError`` where no model is set, where
    it fails, is late, or stops in the middle.
    """
    if llm is None:
        raise LLMError("no language model is set", hint="see [llm] in the settings")
    from llama_index.core.llms import ChatMessage, MessageRole

    from ..llm.streaming import Deadline, Reply  # brings an HTTP client that extractive answers do without

    messages = [ChatMessage(role=MessageRole.USER, content=prompt)] if isinstance(prompt, str) else prompt
    reply = Reply(llm, messages, Deadline(settings.timeout))
    with closing(reply.pieces()) as pieces:
        said = "".join(pieces)
    if reply.cut_short:
        raise LLMError("the language model stopped in the middle", hint="raise max_tokens in [llm]")
    return reply.without_key(said)
