"""An answer's text as blocks and pieces that a template writes as text.

Nothing in an answer is markup: the words may come from a book or from a model. ``static/ragstone/render.js``
has the same rules for the streamed answer, and a browser test holds the two together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any
from urllib.parse import quote, urlsplit

from flask import Flask, url_for

from ragstone.core import Assistant, Citation

from .answers import endpoint_of
from .conversations import address_for
from .formulas import FORMULA, formula

#: Words of a quotation up to which its address has them all, not only the first and the last ones.
_EXACT = 12
#: Characters of a quotation that go to the page of its chunk.
_LONGEST_QUOTE = 300

_INLINE = re.compile(rf"`([^`\n]+)`|({FORMULA})|\*\*([^*\n]+)\*\*|\[(\d{{1,3}})\]")
_FENCE = re.compile(r"\s*(```|~~~)")
_BULLET = re.compile(r"\s*[-*•]\s+(.+)")
_NUMBER = re.compile(r"\s*(\d{1,3})[.)]\s+(.+)")
_ROW = re.compile(r"\s*\|.*\|")
_QUOTE = re.compile(r"\s*(?:>\s?)+(?:\[!(\w+)\]\s*)?")
_RULE = re.compile(r"[\s|:-]+")
#: How an answer's text sets apart a warning of its sources.
_WARNING = "WARNING: "


@dataclass(frozen=True)
class Piece:
    """A run of text: ``text``, ``code``, ``math`` (TeX with its dollar signs), ``strong``, or ``cite`` with the number
    of a citation."""

    kind: str
    text: str


@dataclass(frozen=True)
class Block:
    """A paragraph (``p``), a ``warning``, ``code``, list (``ul``, ``ol``) or ``table`` of an answer."""

    kind: str
    #: A paragraph's one line, the items of a list, the rows of a table; one line of code is one piece.
    lines: tuple[tuple[Any, ...], ...]
    #: The number of a list's first item.
    start: int = 1
    #: Whether a table's first row is its header.
    headed: bool = False


@dataclass(frozen=True)
class Card:
    """What a citation's badge shows of its source."""

    title: str
    place: str
    tags: tuple[str, ...]
    licence: str
    url: str | None


def pieces(text: str, numbers: Iterable[int] = ()) -> tuple[Piece, ...]:
    """Split a line into its pieces; ``[N]`` is a citation only where ``numbers`` has it."""
    known = set(numbers)
    found: list[Piece] = []
    end = 0
    for match in _INLINE.finditer(text):
        code, math, strong, number = match.groups()
        if number and int(number) not in known:
            continue
        if before := text[end : match.start()]:
            # a badge stays on the line of the word before it
            found.append(Piece("text", re.sub(r" $", "\u00a0", before) if number else before))
        kinds = (("code", code), ("math", math), ("strong", strong), ("cite", number))
        found.append(next(Piece(kind, words) for kind, words in kinds if words))
        end = match.end()
    if end < len(text):
        found.append(Piece("text", text[end:]))
    return tuple(found)


def blocks(text: str, numbers: Iterable[int] = ()) -> list[Block]:
    """Split an answer's text into blocks. As in Markdown, a single line break is only a space."""
    known = tuple(numbers)
    return [_block(run, known) for run in _runs(text)]


@dataclass
class _Run:
    kind: str
    start: int = 1
    lines: list[str] = field(default_factory=list)


def _runs(text: str) -> list[_Run]:
    runs: list[_Run] = []
    now, fence = "", ""
    for line in re.split(r"\r?\n", text):
        if fence:
            if line.strip() == fence:
                now, fence = "", ""
            else:
                runs[-1].lines.append(line)
            continue
        if match := _QUOTE.match(line):
            line = (f"**{match[1].capitalize()}.** " if match[1] else "") + line[match.end() :]
        if match := _FENCE.match(line):
            fence = match[1]
            runs.append(_Run("code"))
            continue
        before = now
        now, content, start = _kind_of(line)
        if now == "ol" and before == "p" and start != 1:
            now, content = "p", line  # a sentence whose line happens to begin with a number
        if now == "p" and before in {"p", "ul", "ol", "warning"}:
            now = before
            runs[-1].lines[-1] += f" {content.strip()}"
        elif now:
            if now != before or now == "warning":
                runs.append(_Run(now, start))
            runs[-1].lines.append(content.strip())
    return runs


def _block(run: _Run, known: tuple[int, ...]) -> Block:
    if run.kind == "code":
        return Block("code", tuple((line,) for line in run.lines))
    if run.kind != "table":
        return Block(run.kind, tuple(pieces(line, known) for line in run.lines), run.start)
    rows = tuple(
        tuple(pieces(cell.strip(), known) for cell in line.strip("|").split("|"))
        for line in run.lines
        if not _RULE.fullmatch(line)
    )
    return Block("table", rows, headed=len(run.lines) > 1 and _RULE.fullmatch(run.lines[1]) is not None)


def _kind_of(line: str) -> tuple[str, str, int]:
    if not line.strip():
        return "", "", 1
    if line.startswith(_WARNING):
        return "warning", line.removeprefix(_WARNING), 1
    if match := _BULLET.fullmatch(line):
        return "ul", match[1], 1
    if match := _NUMBER.fullmatch(line):
        return "ol", match[2], int(match[1])
    return ("table" if _ROW.match(line) else "p"), line, 1


def card(citation: Citation) -> Card:
    """Return what is shown of a citation's source; its address only if it is safe."""
    place = citation.place
    title, path = place.title or f"Source {citation.n}", " \u203a ".join(place.parts)
    tags = (*place.tags, citation.note) if citation.note else place.tags
    return Card(title, path, tags, place.licence, place_url(citation))


def citation_fields(assistant: Assistant) -> str:
    """Return which of a citation's fields people see, as JSON for the page's script."""
    form = assistant.profile.citations
    shown = {name: getattr(form, name) for name in ("title", "parts", "page", "licence", "picture", "tags")}
    return json.dumps(shown, default=dict)


def place_url(citation: Citation) -> str | None:
    """Return the address of a citation's chunk, with the words that the browser marks there.

    A page of ours has its chunk at ``#chunk``; a browser that knows text fragments goes on to the words themselves.
    """
    url = safe_url(citation.url)
    if url is None or "#" in url:
        return url
    words = re.sub(r"[`*]", "", citation.quote).split()
    runs = [words[:5], words[-5:]] if len(words) > _EXACT else [words]
    text = ",".join(quote(" ".join(run), safe="").replace("-", "%2D") for run in runs)
    if url.startswith("/") and citation.place.has_picture and words:
        url += f"?quote={quote(' '.join(words)[:_LONGEST_QUOTE], safe='')}"
    anchor = "#passage" if url.startswith("/") else "#"
    if text:
        return f"{url}{anchor}:~:text={text}"
    return url if anchor == "#" else url + anchor


def safe_url(url: str) -> str | None:
    """Return ``url`` if it leads to a page of this server or of the web, and to no script."""
    if url.startswith("/") and not url.startswith(("//", "/\\")):
        return url
    return url if urlsplit(url).scheme in {"http", "https"} else None


def install(app: Flask) -> None:
    """Give the templates of ``app`` what they need to draw assistants and answers."""

    def ask_url(assistant: Assistant, *, selection: bool = False) -> str:
        return url_for(endpoint_of(assistant.name, selection=selection))

    app.jinja_env.filters.update(
        answer_blocks=blocks, answer_pieces=pieces, citation_card=card, citation_fields=citation_fields, formula=formula
    )
    app.jinja_env.filters["safe_url"] = safe_url
    app.jinja_env.globals.update(
        ragstone_version=metadata.version("ragstone"), ragstone_ask_url=ask_url, ragstone_kept_url=address_for
    )
