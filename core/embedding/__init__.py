"""The sentence encoder and its model files."""

from .encoder import Encoder, EncoderInfo
from .minilm import MiniLMEmbedding
from .model_cache import ModelFiles
from .weights import ALL_MINILM_L6_V2, model_files
from .windows import ChunkVectors

__all__ = ["ALL_MINILM_L6_V2", "ChunkVectors", "Encoder", "EncoderInfo", "MiniLMEmbedding", "ModelFiles", "model_files"]
