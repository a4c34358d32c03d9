"""The interface in OpenAI's protocol: models, chat completions, embeddings."""

from .pages import PREFIX, blueprint
from .replies import error_of

__all__ = ["PREFIX", "blueprint", "error_of"]
