"""``book.toml`` beside a book: what its owner says of it, in a table of our own beside mdBook's ``[book]``.

::

    [ragstone]
    title = "Programming Multiple Robots"
    edition = "Second Edition"
    licence = "CC BY 4.0"
    url = "https://book.example/"            # where its pages are published: chapter.md is there as chapter.html

    [ragstone.urls]                          # for chapters that are published elsewhere
    "intro.md" = "https://book.example/start"

    [ragstone.simulation]                    # where the rules for simulation and hardware are wrong
    "labs/*" = true                          # by the file's path
    "Chapter 3 › Wiring" = false             # or by chapter and section, which win
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from pydantic import Field, ValidationError, field_validator

from ragstone.core import SourceError, Table

from ..markdown.sections import SEPARATOR
from .fields import read_toml
from .files import is_file, read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = "book.toml"
#: Under this key a document's metadata say what its owner said of simulation.
SIMULATION = "simulation"


class Manifest(Table):
    """The table ``[ragstone]`` of a ``book.toml``."""

    title: str | None = Field(default=None, max_length=255)
    edition: str | None = Field(default=None, max_length=50)
    licence: str | None = Field(default=None, max_length=200)
    #: Address under which the book's pages are published.
    url: str | None = None
    #: Address of a chapter by its file's path within the book.
    urls: dict[str, str] = Field(default_factory=dict)
    #: Path patterns, or ``chapter › section``: ``True`` for simulation, ``False`` for hardware.
    simulation: dict[str, bool] = Field(default_factory=dict)

    @field_validator("url", "urls")
    @classmethod
    def _only_the_web(cls, value: str | dict[str, str] | None) -> str | dict[str, str] | None:
        for url in value.values() if isinstance(value, dict) else [value] if value else []:
            parts = urlsplit(url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError(f"{url[:80]!r} is not an address of the web")
        return value

    def url_of(self, relative: str) -> str | None:
        """Where the file's page is published; ``None`` if nobody said."""
        if relative in self.urls:
            return self.urls[relative]
        if self.url is None:
            return None
        page = PurePosixPath(relative)
        if page.suffix.lower() == ".pdf":
            return None
        is_first = page.stem.casefold() in {"readme", "index"}
        there = page.with_name("index.html") if is_first else page.with_suffix(".html")
        return urljoin(self.url if self.url.endswith("/") else f"{self.url}/", quote(str(there)))

    def simulation_in(self, relative: str) -> dict[str, bool]:
        """What is said of the file and of sections: ``""`` for the file as a whole, headings for the others."""
        said = {name: value for name, value in self.simulation.items() if SEPARATOR in name}
        for pattern, value in self.simulation.items():
            if SEPARATOR not in pattern and fnmatchcase(relative, pattern):
                said[""] = value
        return said


def read_manifest(root: Path) -> Manifest:
    """The ``book.toml`` in a book's folder, else the one beside it; an empty one without. Raises ``SourceError``."""
    places = [folder / NAME for folder in ([root, root.resolve().parent] if root.is_dir() else [root.parent])]
    place = next(filter(is_file, places), None)
    if place is None:
        return Manifest()
    try:
        found = read_toml(read_text(place)).get("ragstone", {})
    except ValueError as error:
        raise SourceError(f"is not valid TOML: {error}", where=str(place)) from error
    try:
        return Manifest.model_validate(found)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(["ragstone", *(str(part) for part in fault["loc"])])
        known = ", ".join(Manifest.model_fields)
        hint = f"known: {known}" if fault["type"] == "extra_forbidden" else None
        raise SourceError(f"{key}: {fault['msg']}", where=str(place), hint=hint) from error


def said_of_section(said: dict[str, bool], headings: Sequence[str]) -> bool | None:
    """What the owner said of the section with these headings, the chapter first; the nearest word counts."""
    for end in range(len(headings), 1, -1):
        for start in range(end - 1):
            name = SEPARATOR.join(headings[start:end])
            if name in said:
                return said[name]
    return said.get("")
