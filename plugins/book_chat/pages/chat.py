"""Book chat's pages: the chat, and the page that a citation opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response, render_template, request, send_from_directory
from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.wsgi import wrap_file

from ragstone.core import Host
from ragstone.core.answering import Conversation
from ragstone.core.pages import ViewOptions

from ..library.chapters import chapters_of
from ..library.pdf_files import OpenPdf
from ..library.pictures import PagePictures
from ..library.shelf import Shelf
from ..library.source_pages import ShownBlock
from ..markdown.characters import SEPARATOR
from .shelf import install_shelf, shelf_blueprint

_NAME = "book_chat"
_STATIC = Path(__file__).parents[1] / "static" / _NAME
#: Seconds for which a browser may use its copy of the widget without asking.
_WIDGET_AGE = 600
_PICTURE_AGE = 3600
_LONGEST_QUOTE = 600


class Part(NamedTuple):
    """Neighbouring blocks that belong together on a page: the items of one list, or a single other block."""

    kind: str
    blocks: tuple[ShownBlock, ...]


def blueprint(host: Host) -> Blueprint:
    """Return book chat's pages over an open host."""
    shelf = Shelf(host)
    files, pictures = shelf.pdfs, PagePictures(shelf)
    pages = Blueprint(
        _NAME, __name__, url_prefix=f"/{_NAME}", template_folder="../templates", static_folder="../static"
    )

    @pages.route("/", methods=["GET", "POST"])
    def chat() -> tuple[str, int]:
        assistant = host.assistant(_NAME)
        asked = {name: request.values.get(name, "") for name in ("book", "setting")}
        talk = Conversation.ask(assistant, request.values, {name: value for name, value in asked.items() if value})
        known = {"books": shelf.books(), "has_settings": shelf.books_on_simulation() or asked["setting"]}
        return render_template("book_chat/chat.html", assistant=assistant, **known, **asked, talk=talk), talk.status

    @pages.get("/books/<slug>/")
    def book(slug: str) -> str:
        known = shelf.book(slug)
        chapters, kinds = chapters_of(shelf.corpus, slug), shelf.kinds(slug)
        return render_template("book_chat/book.html", book=known, chapters=chapters, kinds=kinds)

    @pages.get("/source/<chunk_id>")
    def source(chunk_id: str) -> str:
        page = shelf.source_page(chunk_id)
        place = pictures.place(chunk_id, _quote())
        steps = breadcrumbs(page.book_title, page.chapter, page.section)
        heading = steps[-1] if steps else page.book_title
        shown = page.blocks
        # the page's heading is the same
        if shown and shown[0].kind == "heading" and shown[0].text == heading:
            shown = shown[1:]
        return render_template(
            "book_chat/source.html",
            assistant=host.assistant(_NAME),
            page=page,
            breadcrumbs=steps,
            heading=heading,
            groups=grouped(shown),
            reading="read" in request.args,
            quote=_quote(),
            page_label=place[1] if place else page.page_label,
            pdf=files.address(f"/{_NAME}/book", page.book, page.path, place and place[0]),
        )

    @pages.get("/page/<chunk_id>.png")
    def picture(chunk_id: str) -> Response:
        drawn, sha256 = pictures.picture(chunk_id, _quote())
        response = Response(drawn, mimetype="image/png")
        response.set_etag(f"{sha256[:16]}-{len(drawn)}")
        response.cache_control.private = True
        response.cache_control.max_age = _PICTURE_AGE
        return response

    @pages.get("/book/<slug>.pdf")
    def pdf(slug: str) -> Response:
        return _pdf_response(files.open(slug, request.args.get("path")), f"{slug}.pdf")

    @pages.get("/widget.js")
    @ViewOptions(reach="any")
    def widget() -> Response:
        """Send the script that other sites' pages load."""
        return send_from_directory(_STATIC, "widget.js", mimetype="text/javascript", max_age=_WIDGET_AGE)

    install_shelf(pages, host, shelf)
    shelf_pages = shelf_blueprint(host)
    # its addresses begin elsewhere, so it cannot be nested
    pages.record(lambda state: state.app.register_blueprint(shelf_pages))
    return pages


def _quote() -> str:
    """The words of the citation that led here, which are marked in the picture of its page."""
    return request.args.get("quote", "")[:_LONGEST_QUOTE]


def _pdf_response(pdf: OpenPdf, name: str) -> Response:
    """An open PDF as a response: whole, or the ranges that a viewer asks for; shown, not saved."""
    response = Response(wrap_file(request.environ, pdf.file), mimetype="application/pdf", direct_passthrough=True)
    response.content_length = pdf.size
    response.set_etag(pdf.sha256)
    response.headers["Content-Disposition"] = f'inline; filename="{name}"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.cache_control.private = True
    response.cache_control.no_cache = True  # the file may change, or no longer be allowed
    response.call_on_close(pdf.file.close)  # also when only the headers are sent
    try:
        response.make_conditional(request, accept_ranges=True, complete_length=pdf.size)
    except RequestedRangeNotSatisfiable:
        pdf.file.close()
        raise
    return response


def breadcrumbs(title: str, chapter: str, section: str) -> tuple[str, ...]:
    """Return the headings that lead to a section, below the book's title, none of them twice in a row."""
    steps = [step.strip() for step in (title, chapter, *section.split(SEPARATOR.strip())) if step.strip()]
    return tuple(step for step, _ in groupby(steps) if step != title.strip())


def grouped(blocks: Iterable[ShownBlock]) -> list[tuple[bool, list[Part]]]:
    """Split a section's blocks into what is in the chunk and what is not, each with its parts."""
    return [(inside, list(_parts(group))) for inside, group in groupby(blocks, key=lambda block: block.in_chunk)]


def _parts(blocks: Iterable[ShownBlock]) -> Iterator[Part]:
    def together(block: ShownBlock) -> str:
        if block.kind != "list_item":
            return block.kind
        return "ol" if block.info == "ordered" else "ul"

    for kind, group in groupby(blocks, key=together):
        if kind in {"ol", "ul"}:
            yield Part(kind, tuple(group))
        else:
            yield from (Part(kind, (block,)) for block in group)
