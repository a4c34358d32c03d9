"""Questions about the encyclopedia as a whole: what it has, and from when it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import WORKS, counted, listed, shown_title

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .search.searcher import ShardSearcher
    from .shards.manifest import ShardEntry

_WHOLE = (
    rf"(?:(?:this|the|that|your)(?: offline| local)? (?:encyclop(?:a?e|æ)dia|wiki(?:pedia)?|information|data|knowledge"
    rf"|articles|collection|copy|{WORKS})|wikipedia)"
)
_ARTICLES = r"(?:articles?|pages|entries|topics|subjects)"
_ASKED = re.compile(
    rf"\W*(?:(?:what(?: is|['’]s)|which {_ARTICLES} are|what {_ARTICLES} are) (?:in|on|inside) {_WHOLE}"
    rf"|what does {_WHOLE} (?:contain|have|cover|hold|include|know)|what do you (?:cover|contain|have|hold)"
    rf"|(?:how many|which|what) {_ARTICLES}(?: (?:are there|do you (?:have|cover|know)|does (?:it|{_WHOLE})"
    rf" (?:have|cover|contain)|are (?:in|on) {_WHOLE}))(?: (?:here|in (?:it|{_WHOLE})))?"
    rf"|(?:please )?(?:list|show(?: me)?) (?:all |the |your ){{0,2}}{_ARTICLES}"
    rf"|how (?:big|large) is {_WHOLE}|what is (?:this|the) encyclop(?:a?e|æ)dia(?: about)?"
    rf"|how (?:old|recent|new|current|up[ -]to[ -]date) (?:is|are) {_WHOLE}|(?:is|are) {_WHOLE} up[ -]to[ -]date"
    rf"|when (?:was|were) {_WHOLE} (?:last )?(?:updated|built|made|written|taken|downloaded)"
    rf"|(?:from )?(?:when|where|what (?:date|year|day|time)) (?:is|are|does|do) {_WHOLE}(?: come)?(?: from)?"
    r"|what (?:are|is) your sources?)\W*",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
#: Titles that are given, and their characters.
_TITLES = 8
_LONGEST_TITLE = 80


def overview(searcher: ShardSearcher, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The shards with their dates, and some titles; ``None`` for other questions, and where there is no shard."""
    if not _ASKED.fullmatch(question):
        return None
    language = filters.get("language")
    shards = [each for each in searcher.shards if each.kind == "wiki" and language in (None, each.language)]
    if not shards:
        return None
    titles = some_titles(searcher, _TITLES, filters)
    among = f" Some of its articles: {listed(titles)}." if titles else ""
    size = counted(passage=sum(each.size for each in shards))
    return Overview(f"The encyclopedia has {size}: {listed(map(_described, shards))}.{among}", ())


def some_titles(searcher: ShardSearcher, most: int, filters: Mapping[str, str]) -> list[str]:
    """Titles of articles, spread evenly over the shards, each as one line."""
    found = searcher.titles(most, kind="wiki", language=filters.get("language"), domain=filters.get("domain"))
    return [shown_title(title)[:_LONGEST_TITLE] for title in found]


def _described(shard: ShardEntry) -> str:
    day = _DAY.match(shard.source.date or "") if shard.source else None
    return f"{shard.id} ({counted(passage=shard.size)}{f', of {day[0]}' if day else ''})"
