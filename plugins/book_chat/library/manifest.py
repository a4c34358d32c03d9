"""``book.toml``: a book's metadata by its owner, in the table ``[ragstone]`` beside mdBook's; see FORMATS.md."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urljoin, urlsplit

from pydantic import Field, ValidationError, field_validator

from ragstone.core import SourceError, Table
from ragstone.core.text import STATABLE, Kind

from ..markdown.characters import SEPARATOR
from .books import LONGEST_EDITION, LONGEST_TITLE
from .fields import read_toml
from .files import is_file, is_index, read_text

NAME = "book.toml"
#: The metadata key of the owner's statements on simulation.
SIMULATION = "simulation"
#: The metadata key of the owner's statements on kinds of text.
SECTION_KINDS = "section_kinds"


class Manifest(Table):
    """The table ``[ragstone]`` of a ``book.toml``."""

    title: str | None = Field(default=None, max_length=LONGEST_TITLE)
    edition: str | None = Field(default=None, max_length=LONGEST_EDITION)
    licence: str | None = Field(default=None, max_length=200)
    #: Address under which the book's pages are published.
    url: str | None = None
    #: Address of a chapter by its file's path within the book.
    urls: dict[str, str] = Field(default_factory=dict)
    #: Path patterns, or ``chapter › section``: ``True`` for simulation, ``False`` for hardware.
    simulation: dict[str, bool] = Field(default_factory=dict)
    #: Patterns of headings or paths, with the kind of the text below or in them.
    kinds: dict[str, Kind] = Field(default_factory=dict)

    @field_validator("kinds", mode="before")
    @classmethod
    def _check_kinds(cls, value: object) -> object:
        for pattern, kind in value.items() if isinstance(value, dict) else ():
            if kind not in STATABLE:
                raise ValueError(f"{str(pattern)[:80]!r} is {str(kind)[:80]!r}, none of {', '.join(STATABLE)}")
        return value

    @field_validator("url", "urls")
    @classmethod
    def _check_addresses(cls, value: str | dict[str, str] | None) -> str | dict[str, str] | None:
        for url in value.values() if isinstance(value, dict) else [value] if value else []:
            parts = urlsplit(url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError(f"{url[:80]!r} is not an address of the web")
        return value

    def url_of(self, relative: str) -> str | None:
        """The address of the file's published page, if it is known."""
        if relative in self.urls:
            return self.urls[relative]
        if self.url is None:
            return None
        page = PurePosixPath(relative)
        if page.suffix.lower() == ".pdf":
            return None
        published = page.with_name("index.html") if is_index(page) else page.with_suffix(".html")
        return urljoin(self.url if self.url.endswith("/") else f"{self.url}/", quote(str(published)))

    def simulation_in(self, relative: str) -> dict[str, bool]:
        """The statements on the file (key ``""``) and on its sections (keys of headings)."""
        stated = {name: value for name, value in self.simulation.items() if SEPARATOR in name}
        for pattern, value in self.simulation.items():
            if SEPARATOR not in pattern and fnmatchcase(relative, pattern):
                stated[""] = value
        return stated

    def kinds_in(self, relative: str) -> dict[str, Kind]:
        """The statements on the file (key ``""``) and on its headings (keys of their patterns in small letters)."""
        stated = {pattern.casefold(): kind for pattern, kind in self.kinds.items()}
        of_file = [kind for pattern, kind in self.kinds.items() if fnmatchcase(relative, pattern)]
        return {**stated, "": of_file[-1]} if of_file else stated


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


def section_simulation(stated: dict[str, bool], headings: Sequence[str]) -> bool | None:
    """The owner's statement on the section with these headings, the chapter first; the most specific one counts."""
    for end in range(len(headings), 1, -1):
        for start in range(end - 1):
            name = SEPARATOR.join(headings[start:end])
            if name in stated:
                return stated[name]
    return stated.get("")


def owner_kind(stated: dict[str, Kind], headings: Sequence[str]) -> Kind | None:
    """The owner's statement on the section with these headings, the chapter first: of the nearest one that matches."""
    for end in range(len(headings), 0, -1):
        path = SEPARATOR.join(headings[:end]).casefold()
        for pattern, kind in stated.items():
            if pattern and (fnmatchcase(headings[end - 1].casefold(), pattern) or fnmatchcase(path, pattern)):
                return kind
    return stated.get("")
