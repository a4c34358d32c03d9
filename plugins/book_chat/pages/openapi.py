"""OpenAPI 3.1 operations of ``/api/books``, for ``/openapi.json``."""

from __future__ import annotations

from typing import Any

from ragstone.core.pages import COUNT, TEXT, Operation, list_of, object_of, response_of


def _operation(summary: str, status: int, response: dict[str, Any], *problems: int, **more: Any) -> Operation:
    """An operation for the admin key, with its response and the statuses of its problems besides those of the key."""
    known = {str(each): {"$ref": "#/components/responses/Problem"} for each in (401, 403, *problems)}
    return {"summary": summary, **more, "security": [{"adminKey": []}], "responses": {str(status): response, **known}}


_KINDS = {"type": "object", "additionalProperties": COUNT}
_BOOK = object_of(slug=TEXT, title=TEXT, edition=TEXT, chapters=COUNT, chunks=COUNT, files=COUNT, kinds=_KINDS)
_PAGES = list_of(
    object_of(file=TEXT, pages=list_of({"type": "integer", "minimum": 1})),
    description="physical pages of PDFs, counted from 1",
)
_REPORT = object_of(
    book=TEXT,
    title=TEXT,
    edition=TEXT,
    layout={"enum": ["mdbook", "docusaurus", "mkdocs", "jupyterbook", "quarto", "sphinx", "folder", "file"]},
    **dict.fromkeys(("added", "updated", "unchanged", "removed", "chunks"), COUNT),
    left_out=list_of(object_of(file=TEXT, reason=TEXT)),
    needs_ocr=_PAGES,
    broken_pages=_PAGES,
)
_JOB = object_of(
    id=TEXT,
    file=TEXT,
    state={"enum": ["queued", "reading", "done", "failed"]},
    resumed={"type": "boolean", "description": "whether it was left when an earlier server stopped"},
    **dict.fromkeys(("files", "of", "chunks", "unstored", "embedded"), COUNT),
    report={"oneOf": [{"type": "null"}, _REPORT]},
    problem={"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Problem"}]},
)
_FILE = {
    "type": "string",
    "format": "binary",
    "description": "a PDF, an EPUB, a Markdown file, another book, or a .zip of one",
}
_FORM = object_of(file=_FILE, title={"type": "string", "maxLength": 255}, edition={"type": "string", "maxLength": 50})
_RATE = {"type": ["number", "null"], "minimum": 0}
_QUEUE = object_of(
    **dict.fromkeys(("total", "done", "waiting", "failed"), COUNT),
    per_minute={**_RATE, "description": "books that ended in the last ten minutes, in a minute"},
    minutes_left=_RATE,
    reading=list_of(object_of(book=TEXT, files=COUNT, of=COUNT, chunks=COUNT)),
    failures=list_of(object_of(book=TEXT, problem=TEXT), description="the latest ones"),
)

BOOKS = _operation("The books on the shelf", 200, response_of("The books", object_of(books=list_of(_BOOK))))
ADD = _operation(
    "Upload a book; it is read in the background, one at a time",
    202,
    {
        **response_of("It is queued", object_of(job=_JOB)),
        "headers": {"Location": {"description": "the address of its progress", "schema": TEXT}},
    },
    *(400, 413, 415, 422, 503, 507),
    requestBody={
        "required": True,
        "content": {"multipart/form-data": {"schema": {**_FORM, "required": ["file"], "additionalProperties": False}}},
    },
)
REMOVE = _operation("Take a book off the shelf", 204, {"description": "It is off the shelf"}, 404)
QUEUE = _operation(
    "How far the books are that wait in PostgreSQL's queue",
    200,
    response_of("The queue; an empty one for a catalog in SQLite", _QUEUE),
)
JOBS = _operation(
    "Uploads that wait, are read, or were", 200, response_of("The uploads", object_of(jobs=list_of(_JOB)))
)
EVENTS = _operation(
    "Progress of an upload as server-sent events",
    200,
    {"description": "The events", "content": {"text/event-stream": {"schema": TEXT}}},
    *(404, 503),
    description="Any number of `progress`, then `done` or `failed`; the data of each is the upload as JSON.",
)
