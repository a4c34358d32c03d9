"""Reads plans from files and texts: detects the format, parses it, and reports errors with their lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from types import NoneType
from typing import Any, TypeVar

from pydantic import ValidationError

from ragstone.core import BadRequest, SourceError, TooLarge
from ragstone.core.answering import check_type
from ragstone.core.runtime import open_regular, parse_json

from .assembly import ImportedPlan, assemble
from .schema import ConceptSchema, PlanSchema

Schema = TypeVar("Schema", PlanSchema, ConceptSchema)

FORMATS = ("list", "json", "jsonl", "csv")
_LARGEST = 16_000_000
#: The format of a file by its suffix.
FORMAT_OF_SUFFIX = {
    **dict.fromkeys((".txt", ".md"), "list"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
    ".csv": "csv",
}
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,4}[.)])\s+")
_TITLE = re.compile(r"\s*#[# ]*(.*)")
_TAG = '"tag"'
#: Where a concept is, and what is there.
_Row = tuple[str, Any]
#: Names of columns, as people call them.
_COLUMNS = {
    **dict.fromkeys(("name", "concept", "title", "topic"), "name"),
    **dict.fromkeys(("key", "id", "slug", "tag"), "key"),
    **dict.fromkeys(("summary", "description", "definition"), "summary"),
    **dict.fromkeys(("needs", "prerequisites", "prerequisite", "dependencies", "requires"), "needs"),
}


def read_plan_file(path: Path, *, format: str | None = None, title: str = "") -> ImportedPlan:  # noqa: A002
    """The plan in a file, by its suffix or ``format``; without a title of its own it has the file's name.

    Raises ``SourceError`` for a file that cannot be read, ``BadRequest`` for one that is no plan.
    """
    check_type(path, "path", Path, "a path")
    try:
        with open_regular(path, _LARGEST) as file:
            text = file.read(_LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise SourceError(f"is not UTF-8 at byte {error.start}", where=str(path)) from error
    kind = format or FORMAT_OF_SUFFIX.get(path.suffix.lower())
    return read_plan(text, format=kind, title=title, where=str(path), otherwise=path.stem)


def read_plan(
    text: str,
    *,
    format: str | None = None,  # noqa: A002
    title: str = "",
    where: str = "the text",
    otherwise: str = "",
) -> ImportedPlan:
    """The plan in a text; ``format`` is one of ``FORMATS``, or found out. ``otherwise``: its title if it has none.

    Raises ``BadRequest`` with ``where`` and the line or the place.
    """
    strings = {"text": text, "title": title, "where": where, "otherwise": otherwise}
    for name, value in strings.items():
        check_type(value, name, str, "a string")
    check_type(format, "format", (str, NoneType), f"one of {', '.join(FORMATS)}, or None")
    if len(text) > _LARGEST:
        raise TooLarge(f"has more than {_LARGEST // 1_000_000} MB", where=where)
    if "\0" in text:
        raise BadRequest("holds a NUL character, and so is no text", where=where)
    kind = format or _guess(text)
    if kind not in FORMATS:
        raise BadRequest(f"{kind!r} is no format of a plan", where=where, hint=f"there are {', '.join(FORMATS)}")
    if kind == "json":
        found = _loaded(text, where, 0)
        schema = _validated(PlanSchema, {"concepts": found} if isinstance(found, list) else found, where)
        places = [f"{where}, concepts[{at}]" for at in range(len(schema.concepts))]
    else:
        concepts, places = list[ConceptSchema](), list[str]()
        for at, found in {"list": _list, "jsonl": _jsonl, "csv": _csv}[kind](text, where):
            concepts.append(_validated(ConceptSchema, found, at))
            places.append(at)
        first = _TITLE.match(text) if kind == "list" else None
        schema = PlanSchema(title=first[1].strip()[:200] if first else "", concepts=tuple(concepts))
    if not schema.concepts:
        raise BadRequest("names no concept", where=where)
    return assemble(
        schema,
        title=title or schema.title or otherwise,
        origin=f"from {PurePath(where).name}",
        where=places.__getitem__,
        is_part=kind == "jsonl" and _TAG in text,  # Metacademy's
    )


def _guess(text: str) -> str:
    begins = text.lstrip()[:1]
    if begins in ("{", "["):
        return "jsonl" if re.match(r"\s*\{.*\}[^\S\n]*\n\s*\{", text) else "json"
    first = next((line for line in text.split("\n") if line.strip()), "")
    cells = [cell.strip().casefold() for cell in first.split(",")]
    return "csv" if len(cells) > 1 and "name" in {_COLUMNS.get(cell) for cell in cells} else "list"


def _list(text: str, where: str) -> Iterator[_Row]:
    """A name a line; ``A <- B, C``: A needs B and C; ``# Title`` on the first line."""
    for at, line in _lines(text):
        if not line.startswith("#"):
            name, _, needs = _BULLET.sub("", line).partition("<-")
            names = [each.strip() for each in needs.split(",") if each.strip()]
            yield f"{where}, line {at}", {"name": name.strip(), "needs": names}


def _csv(text: str, where: str) -> Iterator[_Row]:
    """A header with ``name`` and, as they come, ``key``, ``summary`` and ``needs``, separated by semicolons there."""
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        header = [_COLUMNS.get(cell.strip().casefold(), "") for cell in next(reader, [])]
        if "name" not in header or len([cell for cell in header if cell]) != len({cell for cell in header if cell}):
            raise BadRequest(
                "its first line must name the columns, each once", where=f"{where}, line 1", hint="name,summary,needs"
            )
        for row in reader:
            at = f"{where}, line {reader.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if len(row) > len(header):
                raise BadRequest(f"has {len(row)} cells, and the header has {len(header)}", where=at)
            cells: dict[str, Any] = {name: cell for name, cell in zip(header, row, strict=False) if name}
            needs = [each.strip() for each in cells.get("needs", "").split(";") if each.strip()]
            yield at, cells | {"needs": needs}
    except csv.Error as error:
        raise BadRequest(f"is no CSV: {error}", where=f"{where}, line {reader.line_num}") from error


def _jsonl(text: str, where: str) -> Iterator[_Row]:
    """A concept a line, as in a plan's ``concepts``, or as Metacademy has them: tag, title, summary, dependencies."""
    for number, line in _lines(text):
        found, at = _loaded(line, where, number - 1), f"{where}, line {number}"
        yield at, _of_metacademy(found, at) if isinstance(found, dict) and "tag" in found else found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers."""
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _of_metacademy(found: dict[str, Any], where: str) -> dict[str, Any]:
    needs = found.get("dependencies") or []
    if not isinstance(needs, list) or not all(isinstance(one, dict) for one in needs):
        raise BadRequest("dependencies is no list of objects", where=where)
    return {
        "key": _dashed(found.get("tag")),
        "name": found.get("title"),
        "summary": found.get("summary") or "",
        "needs": [{"concept": _dashed(one.get("tag")), "reason": one.get("reason") or ""} for one in needs],
    }


def _dashed(tag: Any) -> Any:
    return re.sub(r"[^a-z0-9]+", "-", tag.casefold()).strip("-") if isinstance(tag, str) else tag


def _loaded(text: str, where: str, lines_before: int) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        at = f"{where}, line {lines_before + error.lineno}, column {error.colno}"
        raise BadRequest(f"is no JSON: {error.msg}", where=at) from error
    except ValueError as error:
        raise BadRequest(f"is no JSON that can be read: {error}", where=f"{where}, line {lines_before + 1}") from error


def _validated(model: type[Schema], found: Any, where: str) -> Schema:
    try:
        return model.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
        raise BadRequest(
            f"{place}: {first['msg']}" if place else first["msg"], where=where, hint="see FORMATS.md of concept_tutor"
        ) from error
