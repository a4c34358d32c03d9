"""The filters of a query: document types, times, and sender, recipient and subject of mails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import BadRequest, Corpus

from .. import fields
from ..settings import DOC_TYPES

_AGE = re.compile(r"(\d{1,5})\s*(h|d|w|y)")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "y": 24 * 365}
#: Characters of a part of a name, an address or a subject.
LONGEST_PART = 200


@dataclass(frozen=True)
class MemoryFilters:
    """Conditions that a chunk must all meet. With a sender, a recipient or a subject it is a mail."""

    doc_types: tuple[str, ...] = ()
    #: Seconds since 1970: not before and not after.
    since: float | None = None
    until: float | None = None
    #: Any part of a name or an address; case is ignored.
    sender: str | None = None
    recipient: str | None = None
    subject: str | None = None
    #: Seconds since 1970: only facts that hold then; ``None``: now.
    as_of: float | None = None

    def __post_init__(self) -> None:
        """Raise ``BadRequest`` for conditions that no chunk can meet."""
        for name in self.doc_types:
            if name not in DOC_TYPES:
                raise BadRequest(f"there is no document type {str(name)[:40]!r}", hint=f"known: {', '.join(DOC_TYPES)}")
        for what, part in (("sender", self.sender), ("recipient", self.recipient), ("subject", self.subject)):
            if part is not None and (not part.strip() or len(part) > LONGEST_PART):
                raise BadRequest(f"the {what} must have 1 to {LONGEST_PART} characters")

    def __str__(self) -> str:
        """For people; "" without any condition."""
        parts = [f"type {' or '.join(self.doc_types)}"] if self.doc_types else []
        times = (("since", self.since), ("until", self.until), ("as of", self.as_of))
        parts += [
            f"{name} {datetime.fromtimestamp(time, UTC).isoformat(timespec='minutes')}" for name, time in times if time
        ]
        named = (("from", self.sender), ("to", self.recipient), ("subject", self.subject))
        parts += [f"{name} {part!r}" for name, part in named if part is not None]
        return ", ".join(parts)

    def values(self, corpus: Corpus) -> dict[str, tuple[str, ...]]:
        """The values of which a chunk must have one, by metadata key; none if no stored mail meets the condition."""
        parts = (
            (self.sender, (fields.FROM, fields.SENDER)),
            (self.recipient, (fields.TO, fields.CC, fields.RECIPIENTS)),
            (self.subject, (fields.SUBJECT,)),
        )
        found = {keys[0]: _values_with(corpus, part, keys) for part, keys in parts if part is not None}
        return {fields.DOC_TYPE: self.doc_types, **found} if self.doc_types else found

    def metadata_filters(self, values: Mapping[str, tuple[str, ...]]) -> MetadataFilters | None:
        """The conditions for the catalog, with these ``values``; ``None`` without any."""
        found: list[MetadataFilter | MetadataFilters] = [
            MetadataFilter(key=key, value=list(each), operator=FilterOperator.IN) for key, each in values.items()
        ]
        times = (
            (fields.DATE, self.since, FilterOperator.GTE),
            (fields.DATE, self.until, FilterOperator.LTE),
            (fields.AS_OF, self.as_of, FilterOperator.EQ),
        )
        found += [MetadataFilter(key=key, value=at, operator=by) for key, at, by in times if at is not None]
        return MetadataFilters(filters=found) if found else None


def senders_named(corpus: Corpus, name: str) -> tuple[str, ...]:
    """The senders of stored mails who have all of the name, in whole words, in theirs or in an address."""
    return _values_with(corpus, name, (fields.FROM, fields.SENDER), is_whole=True)


def _values_with(corpus: Corpus, part: str, keys: Sequence[str], *, is_whole: bool = False) -> tuple[str, ...]:
    """Values of the first key of mails that have the part in one of the keys. SQLite ignores case in ASCII only."""
    wanted = re.escape(" ".join(part.casefold().split()))
    pattern = re.compile(rf"(?<!\w){wanted}(?!\w)" if is_whole else wanted)
    found = {
        str(values[0])
        for values, _count in corpus.contents.facets(keys[0], *keys[1:])
        if values[0] is not None
        and any(pattern.search(" ".join(str(value).casefold().split())) for value in values if value)
    }
    return tuple(sorted(found))


def parse_time(text: str) -> float:
    """``30d`` (so long before now; also h, w, y) or a day such as ``2026-02-18``, as seconds since 1970.

    Days begin at midnight in UTC. Raises ``BadRequest``.
    """
    plain = text.strip().lower()
    age = _AGE.fullmatch(plain)
    if age:
        hours = int(age[1]) * _HOURS[age[2]]
        # Whole hours, so that the same filters a little later are equal, and cached.
        whole = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        try:
            return (whole - timedelta(hours=hours)).timestamp()
        except OverflowError:
            return 0.0
    try:
        return fields.timestamp(datetime.fromisoformat(plain))
    except ValueError as error:
        raise BadRequest(f"{text[:40]!r} is no time", hint="such as 30d, 12h, 2w, 1y or 2026-02-18") from error
