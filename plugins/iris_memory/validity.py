"""The validity of a file's facts: from when until when they hold, as its front matter says."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from . import fields

if TYPE_CHECKING:
    from ragstone.core import Corpus

_LINE = re.compile(r"""^(valid_from|valid_until):[ \t]*["']?([^"'#\n]{1,40}?)["']?[ \t]*(?:#.*)?$""", re.MULTILINE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def validity_in(text: str) -> dict[str, float]:
    """``valid_from`` and ``valid_until`` of the front matter, seconds since 1970; what is no date counts as missing.

    A day counts whole, in UTC: from its first moment, until its last.
    """
    from .parsers.sections import front_matter  # with the rules for all sections

    found = {}
    for name, value in _LINE.findall(front_matter(text)):
        try:
            when = datetime.fromisoformat(value)
            if name == fields.VALID_UNTIL and _DAY.fullmatch(value):
                when += timedelta(days=1, seconds=-1)
            found[name] = fields.timestamp(when)
        except (ValueError, OverflowError):
            continue
    return found


def not_valid(corpus: Corpus, moment: float) -> list[str]:
    """Paths of the files whose facts do not hold at that moment, seconds since 1970."""
    keys = (fields.VALID_FROM, fields.VALID_UNTIL)
    stated = corpus.contents.document_facets(*keys)
    if all(values == (None, None) for values, _ in stated):
        return []
    files = corpus.contents.document_facets(fields.PATH, *keys)
    return sorted(
        path
        for (path, begin, end), _ in files
        if (begin is not None and moment < begin) or (end is not None and moment > end)
    )
