"""OpenAPI 3.1 operations of ``/api/books``, for ``/openapi.json``."""

from __future__ import annotations

from typing import Any

Operation = dict[str, Any]

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def _json_response(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _operation(summary: str, status: int, response: dict[str, Any], *problems: int, **more: Any) -> Operation:
    """An operation for the admin key, with its response and the statuses of its problems besides those of the key."""
    known = {str(each): {"$ref": "#/components/responses/Problem"} for each in (401, 403, *problems)}
    return {"summary": summary, **more, "security": [{"adminKey": []}], "responses": {str(status): response, **known}}


_KINDS = {"type": "object", "additionalProperties": _COUNT}
_BOOK = _object(slug=_TEXT, title=_TEXT, edition=_TEXT, chapters=_COUNT, chunks=_COUNT, files=_COUNT, kinds=_KINDS)
_PAGES = _list(
    _object(file=_TEXT, pages=_list({"type": "integer", "minimum": 1})),
    description="physical pages of PDFs, counted from 1",
)
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
    left_out=_list(_object(file=_TEXT, reason=_TEXT)),
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
_FILE = {
    "type": "string",
    "format": "binary",
    "description": "a PDF, an EPUB, a Markdown file, another book, or a .zip of one",
}
_FORM = _object(file=_FILE, title={"type": "string", "maxLength": 255}, edition={"type": "string", "maxLength": 50})
_RATE = {"type": ["number", "null"], "minimum": 0}
_QUEUE = _object(
    total=_COUNT,
    done=_COUNT,
    waiting=_COUNT,
    failed=_COUNT,
    per_minute={**_RATE, "description": "books that ended in the last ten minutes, in a minute"},
    minutes_left=_RATE,
    reading=_list(_object(book=_TEXT, files=_COUNT, of=_COUNT, chunks=_COUNT)),
    failures=_list(_object(book=_TEXT, problem=_TEXT), description="the latest ones"),
)

BOOKS = _operation("The books on the shelf", 200, _json_response("The books", _object(books=_list(_BOOK))))
ADD = _operation(
    "Upload a book; it is read in the background, one at a time",
    202,
    {
        **_json_response("It is queued", _object(job=_JOB)),
        "headers": {"Location": {"description": "the address of its progress", "schema": _TEXT}},
    },
    *(400, 413, 415, 422, 503, 507),
    requestBody={
        "required": True,
        "content": {"multipart/form-data": {"schema": {**_FORM, "required": ["file"]}}},
    },
)
REMOVE = _operation("Take a book off the shelf", 204, {"description": "It is off the shelf"}, 404)
QUEUE = _operation(
    "How far the books are that wait in PostgreSQL's queue",
    200,
    _json_response("The queue; an empty one for a catalog in SQLite", _QUEUE),
)
JOBS = _operation("Uploads that wait, are read, or were", 200, _json_response("The uploads", _object(jobs=_list(_JOB))))
EVENTS = _operation(
    "Progress of an upload as server-sent events",
    200,
    {"description": "The events", "content": {"text/event-stream": {"schema": _TEXT}}},
    *(404, 503),
    description="Any number of `progress`, then `done` or `failed`; the data of each is the upload as JSON.",
)
