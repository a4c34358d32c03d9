"""Normalizes Markdown: the words that a reader sees, with their block structure.

First the dialects (kramdown, mdBook, MDX, Docusaurus, MkDocs, MyST, Quarto, HTML blocks) are rewritten as CommonMark,
line by line and outside code. Then the inline markup that the parser finds is removed in place, so that list markers,
quote marks, table pipes and code stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .blocks import FIGURE, references
from .characters import escape_block, without_controls
from .dialects import rewrite_admonitions, rewrite_containers, rewrite_directives, rewrite_lines
from .editor import BlockEditor, Source
from .elements import rewrite_elements, rewrite_tags
from .inline import inline_text
from .marks import Marks, has_marks, is_mark

if TYPE_CHECKING:
    from ragstone.core.text import StatedKind

_ADMONITION = re.compile(r"\[![A-Za-z]+\]")
_HEADING_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_QUOTED_BLANK = re.compile(r"[ \t]*(?:>[ \t]*)+")


def normalize_markdown(text: str) -> str:
    """Markdown of any of the known dialects as normalized Markdown; never raises, in time linear in the text."""
    return normalize_with_kinds(text)[0]


def normalize_with_kinds(text: str) -> tuple[str, list[StatedKind]]:
    """The same, and the kinds that elements and directives state for parts of it."""
    source = Source(without_controls(re.sub(r"\r\n?", "\n", text)))
    for step in (
        rewrite_directives,
        rewrite_admonitions,
        rewrite_containers,
        rewrite_elements,
        rewrite_lines,
        rewrite_tags,
        _without_markup,
    ):
        source = source.replaced(step(source))
    return _tidy(source)


def _without_markup(source: Source) -> str:
    """Inline markup removed, headings as ATX, rules and link definitions removed, figures as paragraphs."""
    page = BlockEditor(source.text)
    for first, last in references(page.env):
        page.replace(first, last, [])
    row, cells = 0, list[str]()
    for at, token in page.walk():
        first, last = token.map or (0, 0)
        if token.type == "paragraph_open" and is_mark(page.tokens[at + 1].content):
            continue
        if token.type == "paragraph_open":
            page.replace_paragraph(token, _paragraph(page.tokens[at + 1].content, page))
        elif token.type == "heading_open":
            words = _HEADING_ATTRIBUTES.sub("", _one_line(page.tokens[at + 1].content, page))
            heading = f"{page.prefix(first)}{'#' * int(token.tag[1:])} {words}"
            page.replace(first, last, [heading if words else page.prefix(first).rstrip()])
        elif token.type == "hr":
            page.replace(first, first + 1, [page.prefix(first).rstrip()])
        elif token.type == "tr_open":
            row, cells = first, []
        elif token.type in ("th_open", "td_open"):
            cells.append(re.sub(r"(?<!\\)\|", r"\\|", _one_line(page.tokens[at + 1].content, page)))
        elif token.type == "tr_close":
            page.replace(row, row + 1, [f"{page.prefix(row)}| {' | '.join(cells)} |"])
    return page.text()


def _paragraph(source: str, page: BlockEditor) -> list[str]:
    """A paragraph's lines as plain text, and its figures as paragraphs after it."""
    lines = [line.lstrip() for line in source.split("\n")]  # spaces at their ends may be hard breaks
    if _ADMONITION.match(lines[0]):
        lines[0] += "  "  # an admonition's title keeps its line
    plain, figures = inline_text("\n".join(lines), page.env)
    kept = [escape_block(line.strip()) for line in plain.split("\n") if line.strip()]
    return kept + [part for figure in figures for part in ("", FIGURE + figure, "")]


def _one_line(source: str, page: BlockEditor) -> str:
    """A heading's or a cell's words."""
    return " ".join(inline_text(source, page.env, inside=True)[0].split())


def _tidy(source: Source) -> tuple[str, list[StatedKind]]:
    """No marks, no trailing spaces and no runs of blank lines outside code; one newline at the end."""
    marked = has_marks(source.text)
    source = source if marked else source.replaced(without_controls(source.text))
    code, kept, marks = source.code, list[str](), Marks()
    for number, line in enumerate(source.lines):
        if marked and number not in code and marks.take(line):
            continue
        bare = without_controls(line) if marked else line
        bare = bare if number in code else bare.rstrip()
        while not bare and kept and _QUOTED_BLANK.fullmatch(kept[-1]):
            kept.pop()
        if marks.waiting and kept[-1:] == [bare]:
            continue
        if marks.waiting and bare.strip(" >"):
            marks.place(len(kept))
        if bare or number in code or (kept and kept[-1]):
            kept.append(bare)
    while kept and not kept[-1].strip(" \t\n>"):
        kept.pop()
    return ("\n".join(kept) + "\n" if kept else ""), marks.kinds(kept)
