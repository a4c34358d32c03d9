"""Encoders that take no time, to measure everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from ragstone.core import EncoderSettings, hookimpl
from ragstone.core.embedding import MiniLMEmbedding


class _Free(BaseEmbedding):
    """Vectors by a function; takes itself for the real model, if one is given: counts and cuts as that does."""

    window: int | None = None
    _vector: Callable[[str], list[float]] = PrivateAttr()
    _real: MiniLMEmbedding | None = PrivateAttr()

    def __init__(self, vector: Callable[[str], list[float]], real: MiniLMEmbedding | None) -> None:
        super().__init__(model_name="free", embed_batch_size=2048, window=None if real is None else real.window)
        self._vector = vector
        self._real = real

    @property
    def tokenizer(self) -> Any:
        return getattr(self._real, "tokenizer", None)

    @property
    def fingerprint(self) -> str | None:
        return getattr(self._real, "fingerprint", None)

    @property
    def family(self) -> str | None:
        return getattr(self._real, "family", None)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._vector(query)


class NullEncoder:
    """A plugin that puts such an encoder in the model's place; without a function every text has the same vector."""

    def __init__(self, real: MiniLMEmbedding | None, vector: Callable[[str], list[float]] | None = None) -> None:
        same = [1.0] + [0.0] * 383
        self._model = _Free(vector or (lambda _: same), real)

    @hookimpl
    def ragstone_embed_model(self, settings: EncoderSettings) -> BaseEmbedding:
        return self._model
