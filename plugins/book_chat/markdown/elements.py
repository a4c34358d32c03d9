"""HTML and JSX in Markdown: its block elements as Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator

from ragstone.core.text import Kind

from .blocks import table_lines
from .editor import BlockEditor, Source
from .marks import closes, is_next, kind_of_tag, opens

_BLOCK_TAGS = frozenset(
    """address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main math nav object ol p para picture
    pre section source summary table tbody td tfoot th thead tr ul video audio""".split()  # noqa: SIM905
)
#: The elements of which nothing is read, as a pattern.
UNREAD = r"script|style|iframe|svg|template|cnx-pi"
#: A tag: its slash if it closes, its name, its attributes.
TAG = re.compile(r"""<(/?)([A-Za-z][\w.:-]*+)((?:[\s/](?:"[^"]*+"|'[^']*+'|[^"'<>])*+)?+)>""")
_OPENS = re.compile(rf"<(?:!--|(?:{UNREAD}|pre|table|dl)\b)", re.IGNORECASE)
# A JSX attribute whose template literal goes on in the lines below, such as a page's translation.
_JSX_TEMPLATE = re.compile(r"<[A-Z][\w.]*\b[^<>`]*\{`(?!.*`\})")
_IN_DEFINITIONS = frozenset({"dl", "dt", "dd", "div"})
_ROW_PARTS = re.compile(r"(</?[A-Za-z][^<>]*>)")


def is_block(tag: re.Match[str]) -> bool:
    """Whether a tag is a block: HTML's, a JSX component (a capital), or a custom element (a hyphen)."""
    name = tag[2]
    return name.lower() in _BLOCK_TAGS or name[0].isupper() or "-" in name


def rewrite_elements(source: Source) -> str:
    """Comments and unread elements removed, ``<pre>`` as a fence, ``<table>`` as a Markdown table."""
    if "<" not in source.text:
        return source.text
    code, lines, out = source.code, source.lines, list[str]()
    rest: Iterator[tuple[int, str]] = iter(enumerate(lines))
    lowered = [line.lower() for line in lines]
    last: dict[str, int] = {}
    for number, line in rest:
        bare = line.lstrip(" \t>")
        opened = None if number in code else _OPENS.match(bare) or _JSX_TEMPLATE.match(bare)
        if opened is None:
            out.append(line)
            continue
        margin = line[: len(line) - len(line.lstrip(" \t>"))]
        name = opened[0].lower()[1:]
        ending = "`}" if name.endswith("`") else "-->" if name == "!--" else f"</{name}>"
        if ending not in last:
            last[ending] = max((n for n, low in enumerate(lowered) if ending in low), default=-1)
        if last[ending] < number:
            out.append(margin + line[len(margin) + len(opened[0]) :] if name == "!--" else line)
            continue
        inner = [line[len(margin) :]]
        while ending not in inner[-1].lower():
            inner.append(next(rest)[1])
        at = inner[-1].lower().index(ending) + len(ending)
        after, inner[-1] = inner[-1][at:], inner[-1][:at]
        if ending == "`}":
            after = after[after.find(">") + 1 :]
        made: list[str] = []
        if name == "table":
            made = table_lines([row for row in _cells("\n".join(inner), "tr", "td", "th") if any(row)])
        elif name == "dl":
            made = _definitions("\n".join(inner)) or inner
        elif name == "pre":
            made = ["```", *html.unescape(TAG.sub("", "\n".join(inner))).strip("\n").split("\n"), "```"]
        out += [f"{margin}{part}" for part in ([""] if made else []) + made + ([""] if made else [])]
        out.append(margin + after.lstrip() if after.strip() else margin.rstrip())
    return "\n".join(out)


def _cells(source: str, row: str, *cells: str) -> list[list[str]]:
    """The words of the elements ``cells``, row by row; they keep their entities and their Markdown."""
    rows: list[list[str]] = []
    for part in _ROW_PARTS.split(source):
        tag = TAG.fullmatch(part)
        name = tag[2].lower() if tag else ""
        if tag and not tag[1] and name in (row, *cells):
            if name == row or not rows:
                rows.append([])
            if name in cells:
                rows[-1].append("")
        elif rows and rows[-1]:
            rows[-1][-1] += " " if name in _BLOCK_TAGS or name == "br" else part
    return [[" ".join(cell.split()) for cell in each] for each in rows]


def _definitions(source: str) -> list[str]:
    """A list of definitions as paragraphs ``term: definition``; none if there is more in it than lines of text."""
    tags = (TAG.fullmatch(part) for part in _ROW_PARTS.split(source))
    pairs = _cells(source, "dt", "dt", "dd")
    if "```" in source or not all(len(pair) > 1 and all(pair) for pair in pairs):
        return []
    if any(tag and is_block(tag) and tag[2].lower() not in _IN_DEFINITIONS for tag in tags):
        return []
    return [line for term, *rest in pairs for line in (is_next("definition"), "", f"{term}: {' '.join(rest)}", "")]


def rewrite_tags(source: Source) -> str:
    """Block tags at the start or end of a paragraph's lines as paragraph ends, with the kinds that they state."""
    if not any(map(is_block, TAG.finditer(source.text))):
        return source.text
    # Where elements of a name state a kind, all of them are marked: an end belongs to the last that is open.
    stating = {tag[2] for tag in TAG.finditer(source.text) if not tag[1] and is_block(tag) and _stated(tag)}
    page = BlockEditor(source)
    for at, token in page.walk():
        if token.type == "paragraph_open":
            lines = [line.strip() for line in page.tokens[at + 1].content.split("\n")]
            if any(_bounded(line) for line in lines):
                page.replace_paragraph(
                    token, [part.strip() for line in lines for part in _unwrapped(line, stating).split("\n")]
                )
    return page.text()


def _bounded(line: str) -> bool:
    tags = [TAG.match(line), TAG.fullmatch(line[line.rfind("<") :]) if line.endswith(">") else None]
    return any(tag and is_block(tag) for tag in tags)


def _unwrapped(line: str, stating: Collection[str]) -> str:
    """A line with its block tags as paragraph ends; with code in it, only those that it begins with."""
    if "`" not in line:
        return TAG.sub(lambda tag: _paragraph_end(tag, stating), line)
    ends = ""
    while (tag := TAG.match(line)) and is_block(tag):
        ends += _paragraph_end(tag, stating) if tag[2] in stating else ""
        line = line[tag.end() :].lstrip()
    return ends + line


def _stated(tag: re.Match[str]) -> Kind | None:
    return None if tag[3].endswith("/") else kind_of_tag(tag[2], tag[3])


def _paragraph_end(tag: re.Match[str], stating: Collection[str]) -> str:
    if not is_block(tag):
        return tag[0]
    if tag[2] in stating and not tag[3].endswith("/"):
        return f"\n\n{closes(tag[2]) if tag[1] else opens(tag[2], _stated(tag))}\n\n"
    return "\n\n- " if tag[2].lower() == "li" and not tag[1] else "\n\n"
