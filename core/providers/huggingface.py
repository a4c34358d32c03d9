"""The provider ``huggingface``: any other model.

By LlamaIndex's own integration, llama-index-embeddings-huggingface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import EncoderError, SettingsError, require_extra
from ..markers import hookimpl

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

    from ..settings import EncoderSettings

require_extra("huggingface", "llama_index.embeddings.huggingface", "torch")


@hookimpl
def ragstone_embed_model(settings: EncoderSettings) -> BaseEmbedding | None:
    """The model that the settings name; ``None`` for other providers."""
    if settings.provider != "huggingface":
        return None
    if not settings.model:
        raise SettingsError(
            "the provider huggingface needs a model", where="[encoder] model", hint='like "BAAI/bge-small-en-v1.5"'
        )
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    try:
        model: BaseEmbedding = HuggingFaceEmbedding(model_name=settings.model)
    except Exception as error:  # of any type: torch, transformers, the hub
        why = f"{type(error).__name__}: {error}"
        raise EncoderError(f"the model {settings.model!r} cannot be loaded ({why})") from error
    return model
