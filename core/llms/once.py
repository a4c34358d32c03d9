"""A language model asked once, for a plugin's own purposes: under a deadline, with nothing of a key in what it says."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.llms import LLM, ChatMessage


def ask_model(llm: LLM, messages: Sequence[ChatMessage], seconds: float) -> str:
    """All that the model says to the messages, at most 24,000 characters. What it says is a stranger's.

    ``seconds``: for the whole answer; when they are over, or whoever waits is gone, the connection is cut. Raises
    ``LLMError``, also for an answer that broke off.
    """
    # Here, for it brings an HTTP client that extractive answers do without.
    from .asking import Deadline, Reply

    reply = Reply(llm, messages, Deadline(seconds))
    with closing(reply.pieces()) as pieces:
        said = "".join(pieces)
    return reply.without_key(said)
