"""Normalizes Markdown: the words that a reader sees, with their block structure.

First the dialects (kramdown, mdBook, MDX, Docusaurus, MkDocs, MyST, Quarto, HTML blocks) are rewritten as CommonMark,
line by line and outside code. Then the inline markup that the parser finds is removed in place, so that list markers,
quote marks, table pipes and code stay as they are.
"""

from __future__ import annotations

import re

from ragstone.core.text import StatedKind

from .blocks import FIGURE, LONGEST_BLOCK, references, short_parts
from .characters import escape_block, without_controls
from .dialects import rewrite_admonitions, rewrite_containers, rewrite_directives, rewrite_lines
from .editor import BlockEditor, Source
from .elements import rewrite_elements, rewrite_tags
from .inline import TITLE_END, inline_text
from .marks import Marks, has_marks, is_mark

_ADMONITION = re.compile(r"\[![A-Za-z]+\]")
_HEADING_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_MAY_BE_LONG = re.compile(r"```|~~~|\|")
_QUOTED_BLANK = re.compile(r"[ \t]*(?:>[ \t]*)+")


def normalize_with_kinds(text: str) -> tuple[str, list[StatedKind]]:
    """Markdown of any of the known dialects as normalized Markdown, and the kinds that elements state for parts of it.

    Never raises; in time linear in the text.
    """
    source = Source(without_controls(re.sub(r"\r\n?", "\n", text)))
    for step in (
        rewrite_directives,
        rewrite_admonitions,
        rewrite_containers,
        rewrite_elements,
        rewrite_lines,
        rewrite_tags,
        _without_markup,
        _with_short_blocks,
    ):
        source = source.replaced(step(source))
    return _tidy(source)


def _without_markup(source: Source) -> str:
    """Inline markup removed, headings as ATX, rules and link definitions removed, figures as paragraphs."""
    page = BlockEditor(source)
    for first, last in references(page.env):
        page.replace(first, last, [])
    row, cells, is_head = 0, list[str](), False
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
        elif token.type in ("thead_open", "thead_close"):
            is_head = token.type == "thead_open"
        elif token.type == "tr_open":
            row, cells = first, []
        elif token.type in ("th_open", "td_open"):
            cells.append(re.sub(r"(?<!\\)\|", r"\\|", _one_line(page.tokens[at + 1].content, page)))
        elif token.type == "tr_close":
            page.replace(row, row + 1, [f"{page.prefix(row)}| {' | '.join(cells)} |"])
            rule = source.lines[row + 1][len(page.prefix(row + 1)) :].strip() if is_head else "|"
            if not rule.startswith("|"):  # without bars at its ends it would be a line of text to others
                page.replace(row + 1, row + 2, [f"{page.prefix(row + 1)}|{rule}|"])
    return page.text()


def _with_short_blocks(source: Source) -> str:
    """Long listings and tables in parts, each with its fence or its head: a chunk holds whole ones."""
    if len(source.text) <= LONGEST_BLOCK or not _MAY_BE_LONG.search(source.text):
        return source.text
    page = BlockEditor(source)
    for _, token in page.walk():
        first, last = token.map or (0, 0)
        if token.level or token.type not in ("fence", "table_open"):
            continue
        is_table = token.type == "table_open"
        lines = source.lines[first:last] if is_table else token.content.rstrip("\n").split("\n")
        parts = short_parts([line for line in lines if line.strip()] if is_table else lines, 2 if is_table else 0)
        if len(parts) > 1:
            around = ([], []) if is_table else ([f"{token.markup}{token.info}"], [token.markup])
            page.replace(first, last, [line for part in parts for line in (*around[0], *part, *around[1], "")])
    return page.text()


def _paragraph(source: str, page: BlockEditor) -> list[str]:
    """A paragraph's lines as plain text, and its figures as paragraphs after it."""
    lines = [line.lstrip() for line in source.split("\n")]  # spaces at their ends may be hard breaks
    if _ADMONITION.match(lines[0]):
        lines[0] += "  "  # an admonition's title keeps its line
    plain, figures = inline_text("\n".join(lines), page.env)
    kept = [escape_block(line.strip()).replace(TITLE_END, "") for line in plain.split("\n") if line.strip()]
    return kept + [part for figure in figures for part in ("", FIGURE + figure, "")]


def _one_line(source: str, page: BlockEditor) -> str:
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
        if not bare and code.isdisjoint((number - 1, number)):
            while kept and _QUOTED_BLANK.fullmatch(kept[-1]):
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
