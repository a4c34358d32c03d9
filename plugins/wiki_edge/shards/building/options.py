"""What is to be built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import NoneType

from ragstone.core import BadRequest
from ragstone.core.answering import check_type

#: Megabytes of text, as markup of a dump they are twice as many: two cores embed them in less than a minute.
PART_MB = 2.0


@dataclass(frozen=True)
class BuildOptions:
    """What is to be built."""

    source: Path
    #: The folder of the manifest.
    out: Path
    id: str
    kind: str = "wiki"
    domain: str | None = None
    #: By default the source's own.
    language: str | None = None
    license: str | None = None
    #: At most so many articles.
    limit: int | None = None
    #: Only articles with the titles in this file, and in whose title the pattern is found.
    titles: Path | None = None
    match: str | None = None
    #: Before titles in addresses, in place of the source's own.
    url_prefix: str = ""
    #: Megabytes of text in a part.
    part_mb: float = PART_MB
    #: Vectors only for the articles with the so many highest counts in that file of titles with counts.
    first: int | None = None
    counts: Path | None = None

    def __post_init__(self) -> None:
        """Raises ``BadRequest`` for a value of another type."""
        check_fields(self, "source out", Path, "a path")
        check_fields(self, "id kind url_prefix", str, "a string")
        check_fields(self, "domain language license match", (str, NoneType), "a string or None")
        check_fields(self, "titles counts", (Path, NoneType), "a path or None")
        check_fields(self, "limit first", (int, NoneType), "a whole number or None")
        check_fields(self, "part_mb", (int, float), "a number")
        if not self.part_mb > 0:
            raise BadRequest("part_mb must be greater than 0")
        if (self.first is None) != (self.counts is None):
            raise BadRequest("first and counts need each other", hint="--first 10000 --counts FILE")


def check_fields(options: object, names: str, types: type | tuple[type, ...], expected: str) -> None:
    """Raise ``BadRequest`` for a field that is of none of the types."""
    for name in names.split():
        check_type(getattr(options, name), name, types, expected)
