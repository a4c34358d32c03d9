"""The sentence encoder and its model files."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .encoder import Encoder
    from .minilm import MiniLMEmbedding
    from .model_cache import ModelFiles
    from .weights import ALL_MINILM_L6_V2, model_files
    from .windows import ChunkVectors

__all__ = [
    "ALL_MINILM_L6_V2",
    "ChunkVectors",
    "Encoder",
    "MiniLMEmbedding",
    "ModelFiles",
    "model_files",
]

__getattr__, __dir__ = lazy_names(__name__)
