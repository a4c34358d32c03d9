"""The plan of a build: the source's files cut into parts, of which each can be built without the others."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal

from llama_index.core.readers.base import BaseReader
from pydantic import Field, TypeAdapter, ValidationError

from ragstone.core import BadRequest, Host, SourceError, StorageError
from ragstone.core.answering import check_type
from ragstone.core.runtime import write_atomically
from ragstone.core.text import storable

from ...parsers.article_parser import CHUNKING_VERSION, LONGEST, SHORTEST
from ...readers.article_reader import ReadRequest, spans_of
from ...readers.articles import ARTICLES_VERSION
from ...readers.selection import first_titles, title_filter
from ...readers.sources import identity
from .batches import document_spans, find_files
from .leases import LEASES
from .work_folder import PARTS, set_purpose

PLAN = "plan.json"
#: The titles that are read, and those whose articles get vectors.
TITLES, FIRST = "titles.txt", "first.txt"
_MEGABYTE = 2**20
#: Increased whenever the files of a part are others.
_PARTS_VERSION = 2
#: Megabytes of text, as markup of a dump they are twice as many: two cores embed them in less than a minute.
PART_MB = 2.0
#: What the plan has a copy of: other machines may not see it.
_LISTS = ("titles", "counts")


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


_Count = Annotated[int, Field(ge=0, lt=1 << 53)]


@dataclass(frozen=True)
class Part:
    """A part of a file."""

    number: _Count
    #: The file's number.
    file: _Count
    #: In the file's own measure: bytes, rows, articles or documents.
    start: _Count
    stop: _Count
    #: Lines before it.
    line: _Count


@dataclass(frozen=True)
class Plan:
    """What is to be built, and of what parts."""

    options: BuildOptions
    #: What must be the same for every worker: encoder, chunks, the source's checksums.
    purpose: dict[str, Any]
    files: tuple[Path, ...]
    #: The source's own metadata.
    about: dict[str, Any]
    parts: tuple[Part, ...]
    #: Values in a vector.
    dimension: int
    version: Literal[1] = 1
    #: The folder that it lies in.
    folder: Path = Path()

    @property
    def size(self) -> int:
        """Bytes of the source."""
        return sum(path.stat().st_size for path in self.files)

    def name(self, part: Part) -> str:
        """The part in words."""
        return f"part {part.number + 1} of {len(self.parts)} ({self.files[part.file].name}, from {part.start:,})"


_PLAN = TypeAdapter(Plan)
_ANEW = "remove the folder and plan anew"


def make_plan(options: BuildOptions, host: Host, folder: Path, on_part: Callable[[int], None] = lambda _: None) -> Plan:
    """The plan in the folder; it is made where there is none.

    ``on_part``: called with the number of parts so far. Raises ``BadRequest`` where the folder holds the plan of
    something else, ``SourceError``, ``OSError``.
    """
    files, reader = find_files(options.source, host)
    title_filter(options.titles, options.match)
    paths = [path.absolute() for path in (*files, options.out, options.titles, options.counts) if path is not None]
    for name in (options.match or "", options.url_prefix or "", *map(str, paths)):
        if storable(name) != name:
            raise BadRequest("a name or an option is not UTF-8", where=name, hint="rename the file or folder")
    purpose = _purpose(options, files, host)
    set_purpose(folder, purpose, "give the same options to go on with it, or --restart to begin anew")
    if (folder / PLAN).exists():
        return read_plan(folder)
    if options.titles is not None:
        shutil.copyfile(options.titles, folder / TITLES)
    if options.counts is not None and options.first is not None:
        titles = first_titles(options.counts, options.first)
        (folder / FIRST).write_text("".join(f"{title}\n" for title in titles), "utf-8")
    for name in (LEASES, PARTS):
        (folder / name).mkdir(exist_ok=True)
    about: dict[str, Any] = {}
    parts = []
    for part in _parts(options, files, reader, folder, about):
        parts.append(part)
        on_part(len(parts))
    absolute = dataclasses.replace(options, source=options.source.absolute(), out=options.out.absolute())
    plan = Plan(
        absolute, purpose, tuple(path.absolute() for path in files), about, tuple(parts), host.hooks.encoder.dimension
    )
    write_atomically(folder / PLAN, _PLAN.dump_json(plan, exclude={"folder"}))
    return dataclasses.replace(plan, folder=folder)


def read_plan(folder: Path) -> Plan:
    """The plan in the folder. Raises ``BadRequest`` where there is none, ``StorageError`` where it is damaged."""
    try:
        plan = dataclasses.replace(_PLAN.validate_json((folder / PLAN).read_bytes()), folder=folder.absolute())
    except FileNotFoundError as error:
        hint = "ragstone wiki plan SOURCE --out FOLDER makes one"
        raise BadRequest("holds no plan of a build", where=str(folder), hint=hint) from error
    except NotADirectoryError as error:
        raise BadRequest("is no folder", where=str(folder)) from error
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        what = f"the plan is damaged: {'.'.join(map(str, fault['loc']))}: {fault['msg']}"
        raise StorageError(what, where=str(folder / PLAN), hint=_ANEW) from error
    numbers = [part.number for part in plan.parts]
    if numbers != [*range(len(numbers))] or any(part.file >= len(plan.files) for part in plan.parts):
        # workers would wait for a part that none of them builds
        raise StorageError("the plan is damaged: it lacks a part or a file", where=str(folder / PLAN), hint=_ANEW)
    return plan


def reader_of(plan: Plan, host: Host) -> BaseReader | None:
    """The reader of the plan's files, if it is another plugin's.

    Raises ``BadRequest`` where this deployment or the source is not the plan's: the parts would not fit together.
    """
    files, reader = find_files(plan.options.source, host)
    now = _purpose(plan.options, files, host)
    names = [name for name in now if now[name] != plan.purpose.get(name) and name not in _LISTS]
    if names:
        hint = "use the deployment that made the plan, or plan anew"
        raise BadRequest(f"the plan was made with another {', '.join(names)}", where=str(plan.folder), hint=hint)
    return reader


def _purpose(options: BuildOptions, files: list[Path], host: Host) -> dict[str, Any]:
    names = ("kind", "domain", "language", "license", "limit", "match", "first")
    return {
        "source": [identity(path) for path in files],
        "encoder": host.hooks.encoder.fingerprint,
        **{name: getattr(options, name) for name in names},
        **{name: identity(path) if (path := getattr(options, name)) and path.exists() else None for name in _LISTS},
        "url_prefix": options.url_prefix,
        "cutting": [SHORTEST, LONGEST, CHUNKING_VERSION, ARTICLES_VERSION],
        "part_mb": options.part_mb,
        "parts_version": _PARTS_VERSION,
    }


def _parts(
    options: BuildOptions, files: list[Path], reader: BaseReader | None, folder: Path, about: dict[str, Any]
) -> Iterator[Part]:
    """The parts of all files in their order; ``about`` gets the metadata of the first."""
    size = round(options.part_mb * _MEGABYTE)
    request = ReadRequest(tuple(files), prefix=options.url_prefix, beside=folder)
    number = 0
    for message in spans_of(request, size) if reader is None else document_spans(files, reader, size):
        if message.pop("event") == "about":
            about.update(about or message)
        else:
            yield Part(number=number, **message)
            number += 1
    if not number:
        raise SourceError("no article was found to build from", where=str(options.source))
