"""Readers of text, mail, JSON state and agents' transcripts.

Their schemes are their own: a suffix would be read by other plugins too.
"""

from __future__ import annotations

from ..settings import Strategy

#: Raised whenever a reader would make another text or other metadata of the same file: all are then read again.
READERS_VERSION = 5
_SCHEMES = {"mail": "memory-mail:", "state": "memory-state:", "transcript": "memory-transcript:"}


def reader_scheme(strategy: Strategy) -> str:
    """The scheme of the reader for files that are cut this way."""
    return _SCHEMES.get(strategy, "memory-text:")
