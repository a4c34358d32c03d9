"""AsciiDoc as Markdown: what a book needs of it, line by line.

Read are titles, sections, paragraphs, lists (with ``+`` and of terms), listings, admonitions, quotes, examples, tables,
captions, images, links, references, formatting and attributes. Includes, conditions and macros of extensions are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .asciidoc_inline import IMAGE, InlineReader
from .blocks import fence_around, table_lines

_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:\s+(.*))?$")
_HEADING = re.compile(r"(={1,6}|#{1,6})\s++(\S++(?:\s++(?!(?:\1\s*+)?$)\S++)*+)(?:\s+\1)?\s*$")
_BLOCK_ATTRIBUTES = re.compile(r"\[([^\[\]]*)\]\s*$")
#: What stands between fences; between others of ``_FENCE`` are blocks.
_FENCES = {"----": "code", "....": "code", "```": "code", "____": "quote", "++++": "raw"}
_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|--|/{4,}|\|={3,}|```)\s*(\w*)$")
_ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(.*)$")
_ADMONITIONS = frozenset({"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"})
_BULLET = re.compile(r"\s*(\*{1,6}|-)\s+(?:\[[ x*]\]\s+)?(?=\S)")
_NUMBERED = re.compile(r"\s*(?:(\.{1,6})|\d{1,4}\.|[a-z]\.)\s+(?=\S)")
_TERM = re.compile(r"\s*(\S.*?)(?::{2,4}|;;)(?:\s+(.*))?$")
_CALLOUT = re.compile(r"\s*<(\d+|\.)>\s+")
_INCLUDE = re.compile(r"include::([^\s\[][^\[]{0,300})\[")
#: Comments, anchors, and what is not read.
_DROPPED = re.compile(r"//(?!//)|\[\[|(?:include|ifdef|ifndef|ifeval|endif|toc|video|audio)::")
_CELL = re.compile(r"(?:(?<=\s)|^)(?:\d+(?:\.\d+)?[+*])?(?:[<^>.]{0,4})?[aehlmdsv]?\|")


def asciidoc_to_markdown(text: str) -> str:
    """A file of AsciiDoc as Markdown; never raises."""
    return "\n".join(_Reader(text.split("\n")).lines()) + "\n"


def included_files(text: str) -> list[str]:
    """The files that a file of AsciiDoc includes, which are no part of its Markdown."""
    return [found[1] for line in text.split("\n") if (found := _INCLUDE.match(line))]


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._inline = InlineReader()
        self._stated = ""  # the attributes in brackets above a block
        self._title = ""  # its title
        self._numbers: dict[int, int] = {}  # of the list that is open, by depth
        self._margin = 2  # of what belongs to the last item
        self._in_header = False

    def lines(self, end: str | None = None, depth: int = 0) -> Iterator[str]:
        """The lines as Markdown, up to the fence that ends the block."""
        margin = 0  # of the list item that a "+" goes on with
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            if end is not None and line == end:
                return
            if _DROPPED.match(line):
                continue
            fence = _FENCE.fullmatch(line)
            if fence and depth < 8:
                yield from self._indented(self._block(fence[1], fence[2], depth), margin)
                margin = 0
                continue
            if attribute := _ATTRIBUTE.match(line):
                self._inline.attributes[attribute[1].strip("!").lower()] = (attribute[2] or "")[:500]
            elif stated := _BLOCK_ATTRIBUTES.fullmatch(line):
                self._stated = stated[1]
            elif re.match(r"\.[^\s.]", line):
                self._title = self._inline.words(line[1:])
            elif line == "+":
                margin = self._margin
                yield ""
            elif line in ("'''", "<<<", "---", "***"):
                yield ""
            elif self._in_header and line:
                continue  # the author and the revision
            else:
                self._in_header = False
                margin = margin if line and not _BULLET.match(line) and not _NUMBERED.match(line) else 0
                yield from self._indented(self._line(line), margin)

    def _line(self, line: str) -> Iterator[str]:
        if heading := _HEADING.match(line):
            self._stated = self._title = ""
            self._in_header = len(heading[1]) == 1
            yield from ("", f"{'#' * len(heading[1])} {self._inline.words(heading[2])}", "")
        elif admonition := _ADMONITION.match(line):
            yield from ("", f"> [!{admonition[1]}]", f"> {self._inline.words(admonition[2])}")
            while self._at < len(self._lines) and self._lines[self._at].strip():
                yield f"> {self._inline.words(self._lines[self._at])}"
                self._at += 1
        elif (image := IMAGE.match(line)) and line.startswith("image::"):
            yield from ("", f'![{image[2].partition(",")[0]}]({image[1]} "{self._taken_title()}")', "")
        elif bullet := _BULLET.match(line):
            self._margin = 2 * len(bullet[1])
            yield f"{' ' * (self._margin - 2)}- {self._inline.words(line[bullet.end() :])}"
        elif (number := _NUMBERED.match(line)) and not line.startswith(" " * 4):
            depth = len(number[1] or ".")
            self._numbers = {
                **{at: n for at, n in self._numbers.items() if at <= depth},
                depth: self._numbers.get(depth, 0) + 1,
            }
            self._margin = 3 * depth
            yield f"{' ' * (self._margin - 3)}{self._numbers[depth]}. {self._inline.words(line[number.end() :])}"
        elif callout := _CALLOUT.match(line):
            yield f"{callout[1] if callout[1] != '.' else '1'}. {self._inline.words(line[callout.end() :])}"
        elif term := _TERM.fullmatch(line):
            yield from self._term(self._inline.words(term[1]), term[2] or "")
        else:
            self._numbers = {} if line and not line.startswith(" ") else self._numbers
            if line and self._title:
                yield from (f"**{self._taken_title()}**", "")
            yield self._inline.words(line)

    def _term(self, term: str, words: str) -> Iterator[str]:
        """A term with its definition, which may begin in a line below."""
        while not words and self._at < len(self._lines):
            following = self._lines[self._at].strip()
            if following and (
                _BULLET.match(following) or _FENCE.fullmatch(following) or following.startswith(("+", "["))
            ):
                break
            self._at += 1
            words = following
        yield from ("", term, f": {self._inline.words(words)}") if words else ("", term)

    def _block(self, fence: str, language: str, depth: int) -> Iterator[str]:
        kind = _FENCES.get(fence[:4], "")
        stated, self._stated = self._stated, ""
        names = [part.strip() for part in re.split(r"[,.#%]", stated)]
        if fence[0] == "|":
            yield from self._table(fence)
        elif fence[0] == "/":  # a comment
            self._until(fence)
        elif kind == "raw":
            formula = " ".join(" ".join(self._until(fence)).split())
            yield from ("", f"${formula}$", "") if names[0] in ("stem", "latexmath") else ()
        elif kind == "code":
            yield from self._listing(fence, language or (names[1] if names[0] == "source" and names[1:] else ""))
        elif names[0].upper() in _ADMONITIONS or kind == "quote":
            opening = f"[!{names[0].upper()}] {self._taken_title()}".rstrip() if kind != "quote" else ""
            yield from ("", *([f"> {opening}"] if opening else []))
            yield from (f"> {line}".rstrip() for line in self.lines(fence, depth + 1))
            yield ""
        else:
            role = next((name for name in names if name and name not in ("example", "sidebar", "open")), "")
            title = self._taken_title()
            yield from ("", f":::{{{role}}}" if role else "", "", *([f"**{title}**", ""] if title else []))
            yield from self.lines(fence, depth + 1)
            yield from ("", ":::" if role else "", "")

    def _listing(self, fence: str, language: str) -> Iterator[str]:
        """A listing without the marks of its callouts."""
        body = self._until(fence)
        if title := self._taken_title():
            yield from (f"Listing: {title}", "")
        mark = fence_around("\n".join(body))
        yield from ("", f"{mark}{language}")
        yield from (re.sub(r"\s*(?://|#|;)?\s*<\d+>\s*$", "", line) for line in body)
        yield from (mark, "")

    def _table(self, fence: str) -> Iterator[str]:
        body = self._until(fence)
        title = self._taken_title()
        first = next((line for line in body if line.strip()), "")
        cells: list[str] = []
        for line in body:
            parts = _CELL.split(line)
            if parts[0].strip() and cells:
                cells[-1] += " " + parts[0].strip()
            cells += [part.strip() for part in parts[1:]]
        width = max(1, len(_CELL.split(first)) - 1)
        rows = (cells[at : at + width] for at in range(0, len(cells), width))
        if shown := table_lines([[self._inline.words(cell) for cell in row] for row in rows]):
            yield from ("", f"Table: {title}" if title else "", "", *shown, "")

    def _until(self, fence: str) -> list[str]:
        begun = self._at
        while self._at < len(self._lines) and self._lines[self._at].rstrip() != fence:
            self._at += 1
        self._at += 1
        return self._lines[begun : self._at - 1]

    def _taken_title(self) -> str:
        title, self._title = self._title, ""
        return title

    def _indented(self, lines: Iterator[str], margin: int) -> Iterator[str]:
        return (f"{' ' * margin}{line}" if line and margin else line for line in lines)
