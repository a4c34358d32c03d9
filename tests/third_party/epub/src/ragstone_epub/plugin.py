"""The plugin: a reader for ``.kepub``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.readers.base import BaseReader

ragstone_hooks = 1


@hookimpl
def ragstone_readers() -> Mapping[str, BaseReader]:
    """Kobo's EPUB books, which book chat then reads; it reads those with the usual suffix itself."""
    from .reader import EpubReader

    return {".kepub": EpubReader()}
