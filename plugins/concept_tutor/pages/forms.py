"""Makes plans from forms."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, NotFound, TooLarge

from ..mediawiki.wikis import Wikis
from ..plans.importers.assembly import free_slug
from ..plans.importers.corpus import books_of, plan_from_corpus
from ..plans.importers.formats import FORMAT_OF_SUFFIX, read_plan
from ..plans.importers.wiki_page import plan_from_page

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from flask import Request

    from ragstone.core import Host

    from ..plans.importers import ImportedPlan

MOST_BYTES = 900_000


def from_names(host: Host, request: Request) -> ImportedPlan:  # noqa: ARG001 - all ways are called alike
    """Of a list in a text field. Raises ``BadRequest`` with the line."""
    return read_plan(_field(request, "names"), format="list", title=_title(request), where="the list")


def from_page(host: Host, request: Request) -> ImportedPlan:
    """Of a wiki's page: what it has sections on and links to. Raises ``BadRequest``, ``SourceError``."""
    return plan_from_page(host.once(Wikis), _field(request, "page").strip())


def from_book(host: Host, request: Request) -> ImportedPlan:
    """Of a book of one of the host's corpora, or of one of its chapters. Raises ``BadRequest``, ``NotFound``."""
    chosen, titles = _field(request, "book"), {f"{corpus}/{book}": title for corpus, book, title in books_of(host)}
    if chosen not in titles:
        raise NotFound("there is no such book")
    corpus, _, book = chosen.partition("/")
    chapter = " ".join(request.form.get("chapter", "").split())
    part = f"{book}: {chapter}" if chapter else book
    return plan_from_corpus(host, corpus, part=part, title=chapter or titles[chosen])


def from_file(host: Host, request: Request) -> ImportedPlan:  # noqa: ARG001
    """Of an uploaded file. Raises ``BadRequest`` with the line, ``TooLarge``."""
    files = request.files.getlist("file")
    if len(files) != 1 or not files[0].filename:
        raise BadRequest("there must be one file")
    path = PurePath(files[0].filename.replace("\\", "/"))
    name = "".join(sign for sign in path.name if sign.isprintable())[:80] or "the file"
    with closing(files[0]) as file:
        raw = file.stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise TooLarge(
            f"the file has more than {MOST_BYTES // 1000} kB", hint="ragstone tutor plan add takes larger ones"
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest(f"is not UTF-8 at byte {error.start}", where=name) from error
    kind = FORMAT_OF_SUFFIX.get(path.suffix.lower())
    return read_plan(text, format=kind, title=_title(request), where=name, otherwise=PurePath(name).stem)


#: What makes a plan of a form, by the form's way.
WAYS: dict[str, Callable[[Host, Request], ImportedPlan]] = {
    "names": from_names,
    "book": from_book,
    "page": from_page,
    "file": from_file,
}


def with_free_slug(made: ImportedPlan, taken: Collection[str]) -> ImportedPlan:
    """The same, with a number behind its slug if another plan has it already."""
    return replace(made, plan=replace(made.plan, slug=free_slug(made.plan.slug, taken)))


def _field(request: Request, name: str) -> str:
    value = request.form.get(name, "")
    if not value.strip():
        raise BadRequest(f"the field {name} is empty")
    return value


def _title(request: Request) -> str:
    return " ".join(request.form.get("title", "").split())
