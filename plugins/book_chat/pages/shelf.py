"""The shelf over HTTP: ``/api/books``, the shelf's page and the forms on it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.datastructures import FileStorage, WWWAuthenticate
from werkzeug.exceptions import ServiceUnavailable, Unauthorized
from werkzeug.wrappers import Response as BaseResponse

from ragstone.core import BadRequest, Host
from ragstone.core.pages import KEEP_ALIVE, EventStream, ViewOptions, event
from ragstone.core.runtime import Slots

from ..assistant import SHELF
from ..library.book_queue import queue_dict
from ..library.books import LONGEST_EDITION, LONGEST_TITLE, shown
from ..library.shelf import Shelf
from ..library.uploads.files import ZIP, store
from ..library.uploads.job_store import Job
from ..library.uploads.jobs import jobs_of, uploads_of
from . import openapi
from .keys import AGE, COOKIE, SHORTEST, VARIABLE, Access, access, configured, is_key, new_session

#: Seconds between signs of life on a stream, without which the server would not notice that the client has left.
_PAUSE = 10.0
#: Streams at a time: each keeps one of the server's threads.
_MOST_WATCHING = 3
_FIELDS = {"edition": LONGEST_EDITION, "title": LONGEST_TITLE}


def shelf_blueprint(host: Host) -> Blueprint:
    """Return the endpoints and the page over an open host."""
    pages = Blueprint("book_chat_admin", __name__, template_folder="../templates")
    shelf, jobs = Shelf(host), host.once(jobs_of)
    watching = Slots(
        _MOST_WATCHING,
        lambda: ServiceUnavailable("Too many are watching uploads already. The upload goes on all the same."),
    )

    @pages.after_request
    def never_store(response: Response) -> Response:
        response.headers["Cache-Control"] = "no-store"
        return response

    def books() -> dict[str, Any]:
        return {"books": [asdict(book) for book in shelf.counted()]}

    def submit() -> Job:
        file, fields = _form()
        return jobs.submit(store(file.stream, file.filename or "", uploads_of(host), suffixes=shelf.suffixes, **fields))

    def add() -> tuple[dict[str, Any], int, dict[str, str]]:
        job = submit()
        return {"job": asdict(job)}, 202, {"Location": f"/api/books/jobs/{job.id}/events"}

    def remove(slug: str) -> Response:
        shelf.remove(slug)
        return Response(status=204)

    def queued() -> dict[str, Any]:
        return queue_dict(host)

    def running() -> dict[str, Any]:
        return {"jobs": [asdict(job) for job in jobs.jobs()]}

    def events(job_id: str) -> Response:
        jobs.job(job_id)
        sent = (
            KEEP_ALIVE if job is None else event(asdict(job), job.state if job.ended else "progress")
            for job in jobs.follow(job_id, _PAUSE)
        )
        return Response(EventStream(sent, slot=watching.acquire()), headers=EventStream.HEADERS)

    def add_by_form() -> BaseResponse:
        submit()
        return redirect(url_for("book_chat.shelf_page"), 303)

    def remove_by_form(slug: str) -> BaseResponse:
        shelf.remove(slug)
        return redirect(url_for("book_chat.shelf_page"), 303)

    takes_files = configured() is not None
    for method, rule, view, operation in (
        ("GET", "/api/books", books, openapi.BOOKS),
        ("POST", "/api/books", add, openapi.ADD),
        ("GET", "/api/books/queue", queued, openapi.QUEUE),
        ("DELETE", "/api/books/<slug>", remove, openapi.REMOVE),
        ("GET", "/api/books/jobs", running, openapi.JOBS),
        ("GET", "/api/books/jobs/<job_id>/events", events, openapi.EVENTS),
        ("POST", f"{SHELF}/", add_by_form, None),
        ("POST", f"{SHELF}/<slug>/remove", remove_by_form, None),
    ):
        takes = takes_files and view in {add, add_by_form}
        ViewOptions(own_key=_require_key, takes_files=takes, openapi=operation)(view)
        pages.add_url_rule(rule, view_func=view, methods=[method])
    return pages


def install_shelf(pages: Blueprint, host: Host, shelf: Shelf) -> None:
    """Add the shelf's page for readers who may ask book chat, and the form for the admin key."""
    jobs = host.once(jobs_of)

    @pages.get("/books/")
    def shelf_page(wrong: bool = False) -> tuple[str, int]:
        opened = _access()
        page = render_template(
            "book_chat/shelf.html",
            books=shelf.counted(),
            opened=opened,
            wrong=wrong,
            queue=queue_dict(host) if opened == "granted" else None,
            jobs=[job for job in jobs.jobs() if not job.ended] if opened == "granted" else (),
            accepted=",".join(sorted({*shelf.suffixes, ZIP})),
        )
        return page, 401 if wrong else 200

    @pages.get("/admin")
    def admin() -> BaseResponse:
        return redirect(url_for("book_chat.shelf_page"))

    @pages.post("/books/key")
    def key() -> BaseResponse | tuple[str, int]:
        """Begin the session of a browser that gives the admin key, or end it."""
        given = request.form.get("key", "").strip()
        if given and not is_key(given):
            return shelf_page(wrong=True)
        response = redirect(url_for("book_chat.shelf_page"), 303)
        if given:
            secure = request.is_secure or request.headers.get("X-Forwarded-Proto") == "https"
            response.set_cookie(COOKIE, new_session(), AGE, httponly=True, samesite="Strict", secure=secure)
        else:
            response.delete_cookie(COOKIE)
        return response


def _access() -> Access:
    return access(request.headers.get("Authorization"), request.cookies.get(COOKIE))


def _require_key() -> None:
    """Refuse a request without the admin key. The web front calls this before it reads the request's body."""
    opened = _access()
    if opened == "closed":
        abort(403, f"Books cannot be added here: set {VARIABLE} to {SHORTEST} characters or more to allow it.")
    if opened == "wrong":
        raise Unauthorized("Send the key as Authorization: Bearer KEY.", www_authenticate=WWWAuthenticate("bearer"))


def _form() -> tuple[FileStorage, dict[str, Any]]:
    """The uploaded file and the fields beside it. Raises ``BadRequest``."""
    if request.mimetype != "multipart/form-data":
        abort(415, "Send the book as multipart/form-data, in the field file.")
    unknown = sorted({*request.form, *request.files} - {"file", *_FIELDS})
    if unknown:
        raise BadRequest(f"unknown field {unknown[0][:80]!r}", hint="known: edition, file, title")
    files = request.files.getlist("file")
    if len(files) != 1 or not files[0].filename:
        raise BadRequest("there must be one file, in the field file")
    fields = {name: " ".join(request.form.get(name, "").split()) or None for name in _FIELDS}
    for name, value in fields.items():
        if value and (value != shown(value) or len(value) > _FIELDS[name]):
            raise BadRequest(f"the {name} is too long or has signs that cannot be printed")
    return files[0], fields
