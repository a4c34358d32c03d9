"""Small models for tests: a sentence encoder of a few lines, and a language model with scripted replies."""

from __future__ import annotations

import hashlib
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM, CompletionResponse, CustomLLM, LLMMetadata
from pydantic import PrivateAttr

from ..markers import hookimpl
from ..text.stemming import stems

if TYPE_CHECKING:
    from ..settings import EncoderSettings, LLMSettings

_DIMENSION = 256
#: Characters; not a divisor of much, so that pieces end anywhere.
_PIECE = 7


class WordEmbedding(BaseEmbedding):
    """A sentence encoder of a few lines: texts are near when they share words. Deterministic, and needs no model.

    Vectors are sums of one random direction a stem (feature hashing, arXiv:0902.2206), of unit length.
    """

    model_name: str = "words"

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "WordEmbedding"

    def _get_text_embedding(self, text: str) -> list[float]:
        total = np.full(_DIMENSION, 1e-3)
        for stem in stems(text):
            seed = int.from_bytes(hashlib.blake2b(stem.encode(), digest_size=8).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(_DIMENSION)
        unit: list[float] = (total / np.linalg.norm(total)).tolist()
        return unit

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class ScriptedLLM(CustomLLM):
    """A language model that answers what was put into its queue, and remembers what it was asked."""

    _answers: deque[str | Exception] = PrivateAttr(default_factory=deque)
    _prompts: list[str] = PrivateAttr(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        """A chat model of no size in particular."""
        return LLMMetadata(model_name="scripted", is_chat_model=False)

    @property
    def prompts(self) -> tuple[str, ...]:
        """Every prompt so far."""
        return tuple(self._prompts)

    def enqueue(self, *answers: str | Exception) -> None:
        """Answer these next, in order; an exception is raised instead."""
        self._answers.extend(answers)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: ARG002
        """The next answer. Raises ``AssertionError`` when there is none: nobody was to be asked."""
        self._prompts.append(prompt)
        if not self._answers:
            raise AssertionError("the language model was asked, but nothing was enqueued")
        answer = self._answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return CompletionResponse(text=answer)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """The next answer, a few characters at a time."""
        whole = self.complete(prompt, formatted, **kwargs).text
        for end in range(_PIECE, len(whole) + _PIECE, _PIECE):
            yield CompletionResponse(text=whole[:end], delta=whole[end - _PIECE : end])


class TestModels:
    """A plugin that brings ``WordEmbedding`` and, where one is given, a language model."""

    __test__ = False  # pytest must not collect it

    def __init__(self, llm: LLM | None = None) -> None:
        self._llm = llm

    @hookimpl
    def ragstone_embed_model(self, settings: EncoderSettings) -> BaseEmbedding:  # noqa: ARG002
        """The encoder of a few lines."""
        return WordEmbedding()

    @hookimpl
    def ragstone_llm(self, settings: LLMSettings) -> LLM | None:  # noqa: ARG002
        """The given model."""
        return self._llm
