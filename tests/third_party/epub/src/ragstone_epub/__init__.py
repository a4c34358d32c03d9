"""Ragstone reads EPUB books."""

from .errors import Refused
from .reader import EpubReader

__all__ = ["EpubReader", "Refused"]
