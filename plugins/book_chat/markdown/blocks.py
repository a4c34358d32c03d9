"""The blocks of normalized Markdown: chunks are packed from them, and pages show them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.blockquote import blockquote
from markdown_it.token import Token

BlockKind = Literal["heading", "paragraph", "list_item", "code", "table", "admonition", "quote", "figure"]

#: How deep blocks may nest before the rest of a line is taken as text; keeps hostile nesting linear.
MAX_NESTING = 40
#: How often lines without a mark may follow marked ones in one quote: markdown-it reads on to the last of them at each
#: quote anew, also where the quote ends before.
_MAX_UNMARKED = 20

#: How a figure's caption begins in normalized Markdown; a PDF's has its number: "Table 3.8: ".
FIGURE = "Figure: "
CAPTION = re.compile(r"(?:Figure|Table|Listing|Algorithm)(?: [A-Z]?\.?\d+(?:[.\-]\d+)*)?: ")
#: Alternative texts of images that stand for a link, and say nothing.
_DECORATION = re.compile(r"(?:an? |the )?qr[ -]?code\b(?:\W+\w+){0,6}\W*", re.IGNORECASE)
#: Words of an alternative text that may stand in a sentence; a longer one describes.
_LONGEST_ALT = 5
#: How a source writes the number of a figure or a table before its caption.
_NUMBERED = re.compile(
    r"(figure|fig\.|table|listing|algorithm)\s+((?:[A-Z]\.?)?\d+(?:[.\-]\d+)*+)\s*[:.—–-]?\s*", re.IGNORECASE
)
#: Characters of a listing or a table of which a chunk holds the whole.
LONGEST_BLOCK = 1200

# In normalized text only ATX headings, lists, quotes, code and tables are structure: a tag or a rule is words.
_NOT_IN_NORMALIZED_TEXT = ("html_block", "reference", "lheading", "hr")
_NEWLINE = re.compile(r"\r\n?|\n")
#: A line's mark of a quote, and of a list item.
QUOTE = re.compile(r"[ \t]*>[ \t]?")
MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*")
_ADMONITION = re.compile(r"[ \t]*>[ \t]*\[!([A-Za-z]+)\][ \t]*")
_ESCAPE = re.compile(r"^(\s*\d{0,9})\\(?=[#>+*=|`~.)-])")


@dataclass(frozen=True)
class Block:
    """One block of a text; ``text[start:end]`` is its source.

    ``level`` is a heading's level or a list item's depth, else 0. ``plain`` is the text without heading, list
    and quote marks and without fences. ``info`` is a code block's language, an admonition's kind in small
    letters, or "ordered" for a numbered list item.
    """

    kind: BlockKind
    start: int
    end: int
    level: int
    plain: str
    info: str


def block_parser(*disable: str) -> MarkdownIt:
    """CommonMark's blocks and tables, without the rules ``disable`` and without inline markup."""
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table").disable(list(disable))
    parser.core.ruler.disable(["inline"])
    _bound_quotes(parser)
    return parser


def _bound_quotes(parser: MarkdownIt) -> None:
    """End each quote after ``_MAX_UNMARKED`` groups of lines without a mark; keeps many short quotes linear."""
    groups = 0

    def quote(state: StateBlock, first: int, last: int, silent: bool) -> bool:
        nonlocal groups
        groups = groups if silent else 0
        return blockquote(state, first, last, silent)

    def is_too_late(state: StateBlock, line: int, _last: int, silent: bool) -> bool:
        nonlocal groups
        if not silent or state.parentType != "blockquote":  # a table asks this rule, too
            return False
        groups += state.sCount[line - 1] >= 0  # a line without a mark has -1
        return groups > _MAX_UNMARKED

    parser.block.ruler.at("blockquote", quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.push("quote_end", is_too_late, {"alt": ["blockquote"]})


def read_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of normalized Markdown in order; together they cover all of ``text`` that is not blank."""
    lines = _Lines(text)
    blocks: list[Block] = []
    reached = 0
    for first, last, token in _outermost(block_parser(*_NOT_IN_NORMALIZED_TEXT).parse(text)):
        first = max(first, reached)
        blocks += lines.skipped(reached, first)
        if span := lines.trimmed(first, last):
            blocks.append(_block(text, span, token))
        reached = max(reached, last)
    blocks += lines.skipped(reached, len(lines.bounds))
    return tuple(blocks)


def first_heading(text: str) -> str | None:
    """The first H1 of normalized Markdown."""
    tokens = block_parser(*_NOT_IN_NORMALIZED_TEXT).parse(text)
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            return " ".join(tokens[at + 1].content.split()) or None
    return None


def short_parts(lines: Sequence[str], kept: int = 0) -> list[list[str]]:
    """The lines of a long listing or table in parts of ``LONGEST_BLOCK``, cut at blank lines where there are some.

    Each part repeats the first ``kept`` lines, a table's head.
    """
    head, parts, size = list(lines[:kept]), [list(lines[:kept])], sum(map(len, lines[:kept]))
    if sum(len(line) + 1 for line in lines) <= LONGEST_BLOCK:
        return [list(lines)]
    for line in lines[kept:]:
        if size + len(line) > LONGEST_BLOCK and len(parts[-1]) > kept:
            blank = next((at for at in reversed(range(kept, len(parts[-1]))) if not parts[-1][at].strip()), 0)
            rest = parts[-1][blank + 1 :] if blank * 3 > len(parts[-1]) else []
            if rest:
                del parts[-1][blank:]
            parts.append([*head, *rest])
            size = sum(len(each) + 1 for each in parts[-1])
        parts[-1].append(line)
        size += len(line) + 1
    return [part for part in parts if any(line.strip() for line in part[kept:])]


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as the lines of a table whose first row is its head; none without rows."""
    width = max(map(len, rows), default=0)
    cells = ([re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in row] + [""] * (width - len(row)) for row in rows)
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return [lines[0], "|" + " --- |" * width, *lines[1:]] if lines else []


def image_words(alt: str, title: str, *, alone: bool) -> tuple[str, str]:
    """The words of an image in its sentence, and its caption if it is a figure; ``alone``: in its paragraph."""
    alt = "" if _DECORATION.fullmatch(alt) else alt
    is_figure = alone or title or len(alt.split()) > _LONGEST_ALT
    return ("", title or alt) if is_figure else (alt, "")


def captioned(words: str, name: str = "Figure") -> str:
    """A caption as normalized Markdown has it: with its own number, else as that of a figure or a table."""
    found = _NUMBERED.match(words)
    if found is None:
        return f"{name}: {words}"
    label = "Figure" if found[1].lower() == "fig." else found[1].capitalize()
    return f"{label} {found[2]}: {words[found.end() :]}"


def fence_around(text: str) -> str:
    """A fence that is longer than any run of backticks in the text."""
    return "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))


class _Lines:
    """A text and the start and end (without the newline) of each line, as the parser counts them."""

    def __init__(self, text: str) -> None:
        self.text = text
        ends = [found.span() for found in _NEWLINE.finditer(text)]
        self.bounds = list(zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)], strict=True))

    def trimmed(self, first: int, last: int) -> tuple[int, int] | None:
        """Character span of the lines without blank ones at either end; None when all are blank."""
        last = min(last, len(self.bounds))
        while first < last and not self.text[slice(*self.bounds[first])].strip():
            first += 1
        while last > first and not self.text[slice(*self.bounds[last - 1])].strip():
            last -= 1
        return None if first >= last else (self.bounds[first][0], self.bounds[last - 1][1])

    def skipped(self, first: int, last: int) -> list[Block]:
        """Lines that the parser left out, as a paragraph: no text is lost."""
        span = self.trimmed(first, last)
        return [] if span is None else [Block("paragraph", *span, 0, self.text[slice(*span)].strip(), "")]


def _outermost(tokens: Sequence[Token]) -> Iterator[tuple[int, int, Token]]:
    """First line, line after the last, and token of each outermost block or list item."""
    for token in tokens:
        if token.map is None or token.nesting < 0:
            continue
        outermost = token.level == 0 and token.type not in ("bullet_list_open", "ordered_list_open", "inline")
        if outermost or (token.level == 1 and token.type == "list_item_open"):
            yield token.map[0], token.map[1], token


def _block(text: str, span: tuple[int, int], token: Token) -> Block:
    lines = _NEWLINE.sub("\n", text[slice(*span)]).split("\n")

    def block(kind: BlockKind, plain: str, level: int = 0, info: str = "") -> Block:
        return Block(kind, *span, level, plain, info)

    match token.type:
        case "heading_open":
            return block("heading", re.sub(r"^\s*#{1,6}\s*", "", lines[0]).strip(), int(token.tag[1:]))
        case "fence" | "code_block":
            return block("code", token.content.rstrip("\n"), info=(token.info.split() or [""])[0])
        case "table_open":
            return block("table", "\n".join(lines))
        case "list_item_open":
            return block("list_item", _item(lines), token.level, "ordered" if token.info else "")
        case "blockquote_open":
            named = _ADMONITION.match(lines[0])
            body = [lines[0][named.end() :] if named else _unquote(lines[0]), *map(_unquote, lines[1:])]
            plain = "\n".join(body).strip()
            return block("admonition" if named else "quote", plain, info=named[1].lower() if named else "")
    plain = "\n".join(_ESCAPE.sub(r"\1", line.strip()) for line in lines)
    return block("figure" if CAPTION.match(plain) else "paragraph", plain)


def _item(lines: list[str]) -> str:
    """A list item's lines without its marker and without the indentation that the marker asks for."""
    marker = MARKER.match(lines[0])
    width = marker.end() if marker else 0
    rest = [line[min(width, len(line) - len(line.lstrip())) :] for line in lines[1:]]
    return "\n".join([_ESCAPE.sub(r"\1", lines[0][width:]), *rest]).strip()


def _unquote(line: str) -> str:
    quote = QUOTE.match(line)
    return line[quote.end() :] if quote else line


def references(env: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """The line spans of link reference definitions that a parse left in ``env``, footnotes excepted."""
    named = env.get("references", {})
    for label, reference in [*named.items(), *((r["label"], r) for r in env.get("duplicate_refs", []))]:
        if not label.startswith("^"):
            yield reference["map"][0], reference["map"][1]
