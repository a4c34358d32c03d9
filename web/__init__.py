"""The web front: one Flask app over a host, and ``ragstone serve``. Commands that serve nothing do without Flask."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .app import create_app

__all__ = ["create_app"]

__getattr__, __dir__ = lazy_names(__name__)
