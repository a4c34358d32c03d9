"""What a query is narrowed to: kinds of files, times, and who wrote to whom about what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import BadRequest

from ..indexing import fields
from ..indexing.file_types import DOC_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragstone.core import Corpus

_AGE = re.compile(r"(\d{1,5})\s*(h|d|w|y)")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "y": 24 * 365}
#: Characters of a part of a name, an address or a subject.
LONGEST_PART = 200


@dataclass(frozen=True)
class Narrowing:
    """Only passages that are all of this. Whoever names a sender, a recipient or a subject asks for mail."""

    doc_types: tuple[str, ...] = ()
    #: Seconds since 1970: not before and not after.
    since: float | None = None
    until: float | None = None
    #: Any part of a name or an address; letters may be small or capital.
    sender: str | None = None
    recipient: str | None = None
    subject: str | None = None

    def __post_init__(self) -> None:
        """Raise ``BadRequest`` for what no passage can be."""
        for name in self.doc_types:
            if name not in DOC_TYPES:
                raise BadRequest(f"there is no document type {str(name)[:40]!r}", hint=f"known: {', '.join(DOC_TYPES)}")
        for what, part in (("sender", self.sender), ("recipient", self.recipient), ("subject", self.subject)):
            if part is not None and (not part.strip() or len(part) > LONGEST_PART):
                raise BadRequest(f"the {what} must have 1 to {LONGEST_PART} characters")

    def __str__(self) -> str:
        """As the inspector tells it; "" for nothing."""
        parts = [f"type {' or '.join(self.doc_types)}"] if self.doc_types else []
        parts += [f"{name} {_day(moment)}" for name, moment in (("since", self.since), ("until", self.until)) if moment]
        named = (("from", self.sender), ("to", self.recipient), ("subject", self.subject))
        parts += [f"{name} {part!r}" for name, part in named if part is not None]
        return ", ".join(parts)

    def filters(self, corpus: Corpus) -> MetadataFilters | None:
        """As the catalog filters; ``None`` for nothing. Part of a name becomes the names that hold it."""
        found: list[MetadataFilter | MetadataFilters] = []
        if self.doc_types:
            found.append(_one_of(fields.DOC_TYPE, self.doc_types))
        if self.since is not None:
            found.append(MetadataFilter(key=fields.DATE, value=self.since, operator=FilterOperator.GTE))
        if self.until is not None:
            found.append(MetadataFilter(key=fields.DATE, value=self.until, operator=FilterOperator.LTE))
        if self.sender is not None:
            found.append(_holding(corpus, self.sender, (fields.FROM, fields.SENDER)))
        if self.recipient is not None:
            found.append(_holding(corpus, self.recipient, (fields.TO, fields.CC, fields.RECIPIENTS)))
        if self.subject is not None:
            found.append(_holding(corpus, self.subject, (fields.SUBJECT,)))
        return MetadataFilters(filters=found) if found else None


def _holding(corpus: Corpus, part: str, keys: Sequence[str]) -> MetadataFilter:
    """Mail one of whose fields holds the part. The catalog's own comparison knows small letters of English alone."""
    wanted = " ".join(part.casefold().split())
    values = sorted(
        {
            str(values[0])
            for values, _count in corpus.contents.facets(keys[0], *keys[1:])
            if values[0] is not None
            and any(wanted in " ".join(str(value).casefold().split()) for value in values if value)
        }
    )
    return _one_of(keys[0], values)


def _one_of(key: str, values: Sequence[str]) -> MetadataFilter:
    return MetadataFilter(key=key, value=list(values), operator=FilterOperator.IN)


def moment(text: str, now: datetime) -> float:
    """``30d`` (so long before ``now``; also h, w, y) or a day such as ``2026-02-18``, as seconds since 1970.

    Days begin at midnight in UTC. Raises ``BadRequest``.
    """
    plain = text.strip().lower()
    age = _AGE.fullmatch(plain)
    if age:
        hours = int(age[1]) * _HOURS[age[2]]
        # Whole hours, so that the same question a little later is narrowed to the same and need not be narrowed anew.
        whole = now.replace(minute=0, second=0, microsecond=0)
        try:
            return (whole - timedelta(hours=hours)).timestamp()
        except OverflowError:
            return 0.0
    try:
        found = datetime.fromisoformat(plain)
    except ValueError as error:
        raise BadRequest(f"{text[:40]!r} is no time", hint="such as 30d, 12h, 2w, 1y or 2026-02-18") from error
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="minutes")
