"""The plugin: a reader for ``.epub``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.readers.base import BaseReader

ragstone_hooks = 1


@hookimpl
def ragstone_readers() -> Mapping[str, BaseReader]:
    """EPUB books, which book chat then reads."""
    from .reader import EpubReader

    return {".epub": EpubReader()}
