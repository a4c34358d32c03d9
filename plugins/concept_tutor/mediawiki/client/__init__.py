"""A client of MediaWiki's REST API: ``search`` and ``page``, polite, bounded, and kept on disk for the time offline."""

from .client import WikiClient
from .errors import (
    WikiError,
    WikiForbidden,
    WikiInvalidAnswer,
    WikiPageMissing,
    WikiRateLimited,
    WikiTooLarge,
    WikiUnavailable,
)
from .responses import WikiPage

__all__ = [
    "WikiClient",
    "WikiError",
    "WikiForbidden",
    "WikiInvalidAnswer",
    "WikiPage",
    "WikiPageMissing",
    "WikiRateLimited",
    "WikiTooLarge",
    "WikiUnavailable",
]
