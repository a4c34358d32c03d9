"""A client of MediaWiki's REST API: ``search`` and ``page``, polite, bounded, and kept on disk for the time offline."""

from .client import WikiClient
from .errors import (
    WikiAway,
    WikiBusy,
    WikiError,
    WikiForbidden,
    WikiGarbled,
    WikiPageMissing,
    WikiTooLarge,
)
from .records import WikiHit, WikiHits, WikiPage

__all__ = [
    "WikiAway",
    "WikiBusy",
    "WikiClient",
    "WikiError",
    "WikiForbidden",
    "WikiGarbled",
    "WikiHit",
    "WikiHits",
    "WikiPage",
    "WikiPageMissing",
    "WikiTooLarge",
]
