"""An encoder that takes no time, to measure everything else."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from ragstone.core import EncoderSettings, hookimpl


class _Tokens(BaseEmbedding):
    """Counts and cuts as the real encoder does, and gives every text the same vector at once."""

    window: int = 256
    _tokenizer: Any = PrivateAttr()
    _vector: list[float] = PrivateAttr(default_factory=lambda: [1.0] + [0.0] * 383)

    def __init__(self, tokenizer: Any) -> None:
        super().__init__(model_name="tokens", embed_batch_size=2048)
        self._tokenizer = tokenizer

    @property
    def tokenizer(self) -> Any:
        """Neither cuts nor pads."""
        return self._tokenizer

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._vector


class NullEncoder:
    """A plugin that puts ``_Tokens`` in the model's place."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    @hookimpl
    def ragstone_embed_model(self, settings: EncoderSettings) -> BaseEmbedding:
        """The one that counts tokens."""
        return _Tokens(self._tokenizer)
