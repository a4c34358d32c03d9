"""The errors of the client, each a ``WikiError``."""

from __future__ import annotations

from ragstone.core import SettingsError, SourceError


class WikiError(SourceError):
    """A wiki did not give what it was asked for; ``where``, which the client adds, is its name and address."""


class NoWikiAllowed(SettingsError):
    """The settings allow no wiki to be asked; all else of the tutor works."""

    status = 503
    title = "No wiki may be asked yet"


class WikiUnavailable(WikiError):
    """It cannot be reached, fails, or takes longer than the deadline."""

    status = 502
    title = "The wiki does not answer"

    def __init__(self, what: str) -> None:
        super().__init__(what, hint="try again later; pages that are kept are served meanwhile")


class WikiRateLimited(WikiError):
    """It asks not to be asked for ``retry_after`` seconds, which is longer than the deadline."""

    status = 503
    title = "The wiki takes no more requests now"

    def __init__(self, retry_after: float) -> None:
        super().__init__(
            f"asks to wait for {retry_after:.0f} s, which is longer than this request may take",
            hint="try again after that time, or raise seconds in [plugins.concept_tutor.wikis]",
        )
        self.retry_after = retry_after


class WikiForbidden(WikiError):
    """It leads to an address that is not the wiki's, or one that must not be connected to."""

    title = "The wiki leads astray"


class WikiTooLarge(WikiError):
    """It sent more than a limit allows."""

    title = "The wiki's page is too large"


class WikiInvalidAnswer(WikiError):
    """It sent something else than it was asked for."""

    status = 502
    title = "The wiki's answer cannot be read"


class WikiPageMissing(WikiError):
    """It has no such page."""

    status = 404
    title = "The wiki has no such page"
