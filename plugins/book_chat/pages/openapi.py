"""OpenAPI 3.1 operations of ``/api/books``, for ``/openapi.json``."""

from __future__ import annotations

from typing import Any

Operation = dict[str, Any]

_KEY: list[dict[str, list[str]]] = [{"adminKey": []}]
_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _json_response(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _problems(*statuses: int) -> dict[str, Any]:
    return {str(status): {"$ref": "#/components/responses/Problem"} for status in (401, 403, *statuses)}


_KINDS = {"type": "object", "additionalProperties": _COUNT}
_BOOK = _object(slug=_TEXT, title=_TEXT, edition=_TEXT, chapters=_COUNT, chunks=_COUNT, files=_COUNT, kinds=_KINDS)
_LEFT_OUT = {"type": "array", "items": _object(file=_TEXT, reason=_TEXT)}
_PAGES = {
    "type": "array",
    "items": _object(file=_TEXT, pages={"type": "array", "items": {"type": "integer", "minimum": 1}}),
    "description": "physical pages of PDFs, counted from 1",
}
_REPORT = _object(
    book=_TEXT,
    title=_TEXT,
    edition=_TEXT,
    layout={"enum": ["mdbook", "docusaurus", "mkdocs", "jupyterbook", "quarto", "sphinx", "folder", "file"]},
    added=_COUNT,
    updated=_COUNT,
    unchanged=_COUNT,
    removed=_COUNT,
    chunks=_COUNT,
    left_out=_LEFT_OUT,
    needs_ocr=_PAGES,
    broken_pages=_PAGES,
)
_JOB = _object(
    id=_TEXT,
    file=_TEXT,
    state={"enum": ["queued", "reading", "done", "failed"]},
    resumed={"type": "boolean", "description": "whether it was left when an earlier server stopped"},
    files=_COUNT,
    of=_COUNT,
    chunks=_COUNT,
    report={"oneOf": [{"type": "null"}, _REPORT]},
    problem={"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Problem"}]},
)
_FORM = {
    "type": "object",
    "properties": {
        "file": {
            "type": "string",
            "format": "binary",
            "description": "a PDF, an EPUB, a Markdown file, another book, or a .zip of one",
        },
        "title": {"type": "string", "maxLength": 255},
        "edition": {"type": "string", "maxLength": 50},
    },
    "required": ["file"],
    "additionalProperties": False,
}

BOOKS: Operation = {
    "summary": "The books on the shelf",
    "security": _KEY,
    "responses": {"200": _json_response("The books", _object(books={"type": "array", "items": _BOOK})), **_problems()},
}
ADD: Operation = {
    "summary": "Upload a book; it is read in the background, one at a time",
    "security": _KEY,
    "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}},
    "responses": {
        "202": {
            **_json_response("It is queued", _object(job=_JOB)),
            "headers": {"Location": {"description": "the address of its progress", "schema": _TEXT}},
        },
        **_problems(400, 413, 415, 422, 503, 507),
    },
}
REMOVE: Operation = {
    "summary": "Take a book off the shelf",
    "security": _KEY,
    "responses": {"204": {"description": "It is off the shelf"}, **_problems(404)},
}
_RATE = {"type": ["number", "null"], "minimum": 0}
_READING = _object(book=_TEXT, files=_COUNT, of=_COUNT, chunks=_COUNT)
_QUEUE = _object(
    total=_COUNT,
    done=_COUNT,
    waiting=_COUNT,
    failed=_COUNT,
    per_minute={**_RATE, "description": "books that ended in the last ten minutes, in a minute"},
    minutes_left=_RATE,
    reading={"type": "array", "items": _READING},
    failures={"type": "array", "items": _object(book=_TEXT, problem=_TEXT), "description": "the latest ones"},
)
QUEUE: Operation = {
    "summary": "How far the books are that wait in PostgreSQL's queue",
    "security": _KEY,
    "responses": {"200": _json_response("The queue; an empty one for a catalog in SQLite", _QUEUE), **_problems()},
}
JOBS: Operation = {
    "summary": "Uploads that wait, are read, or were",
    "security": _KEY,
    "responses": {"200": _json_response("The uploads", _object(jobs={"type": "array", "items": _JOB})), **_problems()},
}
EVENTS: Operation = {
    "summary": "Progress of an upload as server-sent events",
    "description": "Any number of `progress`, then `done` or `failed`; the data of each is the upload as JSON.",
    "security": _KEY,
    "responses": {
        "200": {"description": "The events", "content": {"text/event-stream": {"schema": _TEXT}}},
        **_problems(404, 503),
    },
}
