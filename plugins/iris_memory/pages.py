"""The page that a citation opens: the chunk at its lines, between the lines around it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template

from ragstone.core import Corpus, Host, NotFound
from ragstone.core.text import strip_hidden

from . import fields
from .assistant import NAME, PREFIX
from .indexing.memory import memory_of
from .recall.chunk import chunk_of

#: Lines that are shown before and after the chunk.
_AROUND = 12
_LONGEST_LINE = 2_000


def source_page(corpus: Corpus, chunk_id: str) -> dict[str, Any]:
    """What ``source.html`` shows: the chunk, its file's title, the headings above it, its lines and those around it, as
    of when the file was last read. Raises ``NotFound``."""
    if not corpus.contents.exists:
        raise NotFound("there is no such passage; the memory is empty", where=chunk_id)
    node = corpus.contents.node(chunk_id)
    text = corpus.contents.document_text(str(node.ref_doc_id))
    start, end = node.start_char_idx, node.end_char_idx
    if start is None or end is None or text[start:end] != node.get_content():
        text, start, end = node.get_content(), 0, len(node.get_content())
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(start, end - 1))
    last = len(text) if last < 0 else last
    before, cited, after = text[:first].splitlines(), text[first:last].split("\n"), text[last + 1 :].splitlines()
    chunk = chunk_of(node, 0.0)
    number = chunk.lines[0] if chunk.lines and chunk.lines[1] - chunk.lines[0] + 1 == len(cited) else None
    if number is not None and number != len(before) + 1:
        before, after = [], []  # the file has them in another form: what stands around has other numbers
    shown = before[-_AROUND:]
    known = node.metadata
    return {
        "chunk": chunk,
        "title": str(known.get(fields.TITLE) or chunk.path),
        "trail": [part for part in str(known.get(fields.HEADING_PATH) or "").split(fields.SEPARATOR) if part],
        "before": _lines(shown, None if number is None else number - len(shown)),
        "cited": _lines(cited, number),
        "after": _lines(after[:_AROUND], None if number is None else number + len(cited)),
    }


def _lines(texts: list[str], first: int | None) -> list[tuple[int | None, str]]:
    """The lines as they are shown, each with its number, which it has none of where the file has it in another form
    (a mail's encoded body, a state's JSON)."""
    shown = [strip_hidden(text).rstrip() for text in texts]
    cut = [text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…" for text in shown]
    return [(None if first is None else first + offset, text) for offset, text in enumerate(cut)]


def blueprint(host: Host) -> Blueprint:
    """Return the memory's pages over an open host."""
    pages = Blueprint("iris_memory", __name__, url_prefix=PREFIX, template_folder="templates", static_folder="static")

    @pages.get("/source/<chunk_id>")
    def source(chunk_id: str) -> str:
        page = source_page(memory_of(host).corpus, chunk_id)
        return render_template("iris_memory/source.html", assistant=host.assistant(NAME), **page)

    return pages
