"""Small models for tests: a sentence encoder of a few lines, and a language model with scripted replies."""

from __future__ import annotations

import hashlib
from collections import deque
from functools import lru_cache
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM, CompletionResponse, CustomLLM, LLMMetadata
from pydantic import PrivateAttr

from ..llm.settings import LLMSettings
from ..markers import hookimpl
from ..settings import EncoderSettings
from ..text.stemming import stems

_DIMENSION = 256
#: Characters of a streamed piece, so that pieces end within words.
_PIECE = 7


class WordEmbedding(BaseEmbedding):
    """A sentence encoder without a model: texts are similar when they share words. Deterministic.

    A vector is the sum of one random direction per stem (feature hashing, arXiv:0902.2206), with unit length.
    """

    model_name: str = "words"

    @classmethod
    def class_name(cls) -> str:
        return "WordEmbedding"

    def _get_text_embedding(self, text: str) -> list[float]:
        total = np.full(_DIMENSION, 1e-3)
        for stem in stems(text):
            total += _direction(stem)
        unit: list[float] = (total / np.linalg.norm(total)).tolist()
        return unit

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


@lru_cache(maxsize=4096)
def _direction(stem: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.blake2b(stem.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(_DIMENSION)


class ScriptedLLM(CustomLLM):
    """A language model that returns the answers in its queue and records its prompts."""

    _answers: deque[str | Exception] = PrivateAttr(default_factory=deque)
    _prompts: list[str] = PrivateAttr(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted", is_chat_model=False)

    @property
    def prompts(self) -> tuple[str, ...]:
        """All prompts so far, in order."""
        return tuple(self._prompts)

    def enqueue(self, *answers: str | Exception) -> None:
        """Add answers to the queue; an exception is raised instead of returned."""
        self._answers.extend(answers)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: ARG002
        """The next answer. Raises ``AssertionError`` if the queue is empty."""
        self._prompts.append(prompt)
        if not self._answers:
            raise AssertionError("the language model was asked, but nothing was enqueued")
        answer = self._answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return CompletionResponse(text=answer)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """The next answer in pieces of a few characters."""
        whole = self.complete(prompt, formatted, **kwargs).text
        for end in range(_PIECE, len(whole) + _PIECE, _PIECE):
            yield CompletionResponse(text=whole[:end], delta=whole[end - _PIECE : end])


class TestModels:
    """A plugin with ``WordEmbedding`` and the given language model, if any."""

    __test__ = False  # pytest must not collect it

    def __init__(self, llm: LLM | None = None) -> None:
        self._llm = llm

    @hookimpl
    def ragstone_embed_model(self, settings: EncoderSettings) -> BaseEmbedding:  # noqa: ARG002
        return WordEmbedding()

    @hookimpl
    def ragstone_llm(self, settings: LLMSettings) -> LLM | None:  # noqa: ARG002
        return self._llm
