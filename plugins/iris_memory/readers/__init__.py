"""Files as LlamaIndex documents: text as it is, mail as it is meant, a state as its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..indexing.file_types import Strategy

#: Raised whenever a reader would make another text or other metadata of the same file: all are then read again.
READERS_VERSION = 2
_SCHEMES = {"mail": "memory-mail:", "state": "memory-state:"}


def scheme_of(strategy: Strategy) -> str:
    """Under which name the host knows the reader for files that are cut this way."""
    return _SCHEMES.get(strategy, "memory-text:")
