"""A vector index for Ragstone in numpy."""

from .store import NumpyStore

__all__ = ["NumpyStore"]
