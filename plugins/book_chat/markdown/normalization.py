"""Markdown as clean Markdown: what a reader would read, with its block structure kept.

Cleaning has two steps. The dialects (kramdown, mdBook, MDX, Docusaurus, MkDocs, HTML blocks) are rewritten,
line by line and outside code, as plain CommonMark; then the inline markup that the parser finds is taken
away in place, so that list markers, quote marks, table pipes and code stay as they were.
"""

from __future__ import annotations

import re

from .blocks import FIGURE, references
from .characters import without_controls
from .dialects import plain_admonitions, plain_containers, plain_lines
from .editor import Rewriting, code_lines
from .elements import plain_elements, plain_tags
from .inline import plain_inline

_STRUCTURE = re.compile(r"(#{1,6})(?=\s|$)|(>)|([-+*])(?=\s|$)|(\d{1,9})[.)](?=\s|$)|(`{3})|(~{3})|([|:-][\s|:-]*$)")
_ADMONITION = re.compile(r"\[![A-Za-z]+\]")
_HEADING_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_QUOTED_BLANK = re.compile(r"[ \t]*(?:>[ \t]*)+")


def clean_markdown(text: str) -> str:
    """Markdown of any of the known dialects as clean Markdown; never raises, in time linear in the text."""
    text = without_controls(re.sub(r"\r\n?", "\n", text))
    for step in (plain_admonitions, plain_containers, plain_elements, plain_lines, plain_tags, _spoken):
        text = step(text)
    return _tidy(without_controls(text))


def _spoken(text: str) -> str:
    """Inline markup taken away, headings as ATX, rules and link definitions gone, figures as paragraphs."""
    page = Rewriting(text)
    for first, last in references(page.env):
        page.replace(first, last, [])
    row, cells = 0, list[str]()
    for at, token in page.walk():
        first, last = token.map or (0, 0)
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


def _paragraph(source: str, page: Rewriting) -> list[str]:
    """A paragraph's lines as plain text, and its figures as paragraphs after it."""
    lines = [line.lstrip() for line in source.split("\n")]  # spaces at their ends may be hard breaks
    if _ADMONITION.match(lines[0]):
        lines[0] += "  "  # an admonition's title keeps its line
    plain, figures = plain_inline("\n".join(lines), page.env)
    kept = [_escaped(line.strip()) for line in plain.split("\n") if line.strip()]
    return kept + [part for figure in figures for part in ("", FIGURE + figure, "")]


def _one_line(source: str, page: Rewriting) -> str:
    """A heading's or a cell's words."""
    return " ".join(plain_inline(source, page.env, inside=True)[0].split())


def _escaped(line: str) -> str:
    """``line`` with a backslash where it would begin a block."""
    found = _STRUCTURE.match(line)
    if found is None:
        return line
    at = found.end(4) if found[4] else 0
    return f"{line[:at]}\\{line[at:]}"


def _tidy(text: str) -> str:
    """No trailing spaces and no runs of blank lines outside code; one newline at the end."""
    code = code_lines(text)
    kept: list[str] = []
    for number, line in enumerate(text.split("\n")):
        bare = line if number in code else line.rstrip()
        while not bare and kept and _QUOTED_BLANK.fullmatch(kept[-1]):
            kept.pop()
        if bare or number in code or (kept and kept[-1]):
            kept.append(bare)
    while kept and not kept[-1].strip(" \t\n>"):
        kept.pop()
    return "\n".join(kept) + "\n" if kept else ""
