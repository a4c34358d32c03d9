"""The interface in OpenAI's protocol: models, chat completions, embeddings."""

from .failures import error_of
from .pages import PREFIX, blueprint

__all__ = ["PREFIX", "blueprint", "error_of"]
