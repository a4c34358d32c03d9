"""The default embedding model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import MiniLMEmbedding

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.base.embeddings.base import BaseEmbedding

    from ..settings import EncoderSettings


def default_embed_model(settings: EncoderSettings, cache: Path) -> BaseEmbedding:
    """all-MiniLM-L6-v2. Raises ``EncoderError``."""
    return MiniLMEmbedding.find(
        cache / "encoder", folder=settings.folder, precision=settings.precision, threads=settings.threads
    )
