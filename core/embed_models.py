"""The embedding models that the host brings itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .encoder import MiniLMEmbedding
from .errors import EncoderError, MissingExtra
from .loading import require_extra

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.base.embeddings.base import BaseEmbedding

    from .settings import EncoderSettings


def default_embed_model(settings: EncoderSettings, cache: Path) -> BaseEmbedding:
    """The model that the settings name. Raises ``EncoderError``."""
    if settings.provider == "minilm":
        return MiniLMEmbedding.find(
            cache / "encoder", folder=settings.folder, precision=settings.precision, threads=settings.threads
        )
    return _huggingface(settings)


def _huggingface(settings: EncoderSettings) -> BaseEmbedding:
    if not settings.model:
        raise EncoderError(
            "the provider huggingface needs a model",
            where="[encoder] model",
            hint='like "BAAI/bge-small-en-v1.5"',
        )
    try:
        require_extra("huggingface", "llama_index.embeddings.huggingface", "torch")
    except MissingExtra as error:
        raise EncoderError(str(error), where="[encoder] provider", hint=error.install) from error
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    try:
        model: BaseEmbedding = HuggingFaceEmbedding(model_name=settings.model)
    except Exception as error:  # the libraries below raise whatever they like
        raise EncoderError(
            f"the model {settings.model!r} cannot be loaded ({type(error).__name__}: {error})",
            where="[encoder] model",
        ) from error
    return model
