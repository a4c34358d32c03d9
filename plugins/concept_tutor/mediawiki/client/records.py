"""The results of the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from .errors import WikiError


@dataclass(frozen=True)
class WikiOutcome:
    """When a request to a wiki ended (UTC), and its error; ``None`` if the wiki answered."""

    at: datetime
    error: WikiError | None


@dataclass(frozen=True)
class WikiPage:
    """One revision of a page, as Parsoid's HTML in UTF-8, which is untrusted.

    ``key`` is the page's own, also where a redirect led to it; ``url`` the address that a reader opens, made from the
    settings and the key alone; ``retrieved_at`` (UTC) when the wiki last confirmed it, which is long ago where it does
    not answer.
    """

    key: str
    title: str
    html: bytes
    #: In digits; larger ones are newer.
    revision: str
    url: str
    licence: str
    retrieved_at: datetime
    language: str
