"""A chapter's XHTML as Markdown: headings, paragraphs, lists, quotations, code and tables; no markup of its own."""

from __future__ import annotations

import re

from ragstone.core.text import strip_hidden

from .tokens import tokens

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CONTAINERS = """
    address article aside blockquote body caption dd div dl dt fieldset figcaption figure footer form header hr html li
    main ol p pre section table tbody tfoot thead tr ul
"""
_BLOCKS = frozenset({*_CONTAINERS.split(), *_HEADINGS})
_CELLS = frozenset({"td", "th"})
_ROWS = frozenset({"table", "tbody", "tfoot", "thead", "tr"})
#: What is no text for a reader; ``rt`` and ``rp`` are the small signs above others.
_SKIPPED = frozenset({"head", "math", "nav", "rp", "rt", "script", "style", "svg", "template"})
_DEEPEST_LIST, _DEEPEST_SKIPPED = 5, 100

#: What would begin a block of Markdown at the beginning of a line.
_STRUCTURE = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))|(?=(?:#{1,6}|[-+*])(?:\s|$)|>|`{3}|~{3}|[|:=-][\s|:=-]*$)")


def to_markdown(page: str) -> str:
    """The page's text, hidden characters left out; never raises."""
    writer = _Writer()
    for token in tokens(page):
        if token.kind == "start":
            writer.start(token.value)
        elif token.kind == "end":
            writer.end(token.value)
        else:
            writer.put(token.value)
    return writer.text()


class _Writer:
    """Follows the tags of one page. Holds no tree, so that depth costs nothing."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._words: list[str] = []
        self._skipped: list[str] = []
        self._lists: list[int | None] = []
        self._item = ""
        self._heading = 0
        self._quotes = 0
        self._code = 0
        self._in_cell = False
        self._row: list[str] = []
        self._table: list[str] = []

    def text(self) -> str:
        """All blocks so far."""
        self._end_block()
        self._end_table()
        return "\n\n".join(self._blocks)

    def start(self, tag: str) -> None:
        """An element begins."""
        if tag == "body":
            self._skipped.clear()  # a head that was not closed
        if tag in _SKIPPED:
            self._skipped = [*self._skipped[:_DEEPEST_SKIPPED], tag]
        elif self._skipped:
            return
        elif tag == "br":
            self._words.append("\n" if self._code else " ")
        elif tag in _CELLS:
            self._end_cell()
            self._in_cell = True
        elif self._in_cell and tag in _BLOCKS - _ROWS:
            self._words.append(" ")
        elif tag in _BLOCKS:
            self._end_block()
            self._begin(tag)

    def end(self, tag: str) -> None:
        """An element ends."""
        if tag in self._skipped:
            del self._skipped[self._skipped.index(tag) :]
        elif self._skipped:
            return
        elif tag in _CELLS:
            self._end_cell()
        elif self._in_cell and tag in _BLOCKS - _ROWS:
            self._words.append(" ")
        elif tag in _BLOCKS:
            self._end_block()
            self._end(tag)

    def put(self, text: str) -> None:
        """Text of the element that began last."""
        if not self._skipped:
            self._words.append(text)

    def _begin(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._item = self._marker()
        elif tag == "blockquote":
            self._quotes += 1
        elif tag == "pre":
            self._code += 1

    def _end(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._heading = 0
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._item = ""
        elif tag == "blockquote":
            self._quotes = max(0, self._quotes - 1)
        elif tag == "pre":
            self._code = max(0, self._code - 1)
        elif tag == "table":
            self._end_table()

    def _marker(self) -> str:
        depth = min(len(self._lists), _DEEPEST_LIST)
        indent = "  " * max(0, depth - 1)
        number = self._lists[-1] if self._lists else None
        if number is None:
            return f"{indent}- "
        self._lists[-1] = number + 1
        return f"{indent}{number + 1}. "

    def _end_cell(self) -> None:
        output = self._spoken()
        if self._in_cell:
            self._row.append(output.replace("|", "\\|"))
        self._in_cell = False

    def _end_block(self) -> None:
        if self._in_cell:
            self._end_cell()
        if self._row:
            self._table.append(f"| {' | '.join(self._row)} |")
            if len(self._table) == 1:
                self._table.append(f"|{' --- |' * len(self._row)}")
            self._row = []
        elif self._code:
            self._end_code()
        elif output := self._spoken():
            self._add(self._marked(output))

    def _end_code(self) -> None:
        code = strip_hidden("".join(self._words)).strip("\n")
        self._words = []
        if code.strip():
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
            self._add(f"{fence}\n{code}\n{fence}")

    def _end_table(self) -> None:
        if self._table:
            rows, self._table = "\n".join(self._table), []
            self._add(rows)

    def _add(self, block: str) -> None:
        self._end_table()
        self._blocks.append(block)

    def _marked(self, output: str) -> str:
        """A heading, an item, a quotation or a paragraph."""
        if self._heading:
            return f"{'#' * self._heading} {output}"
        if found := _STRUCTURE.match(output):
            output = f"{found[1] or ''}\\{output[found.end() :]}"
        marker, self._item = self._item, ""
        quote = "> " if self._quotes and not marker else ""
        return f"{marker}{quote}{output}"

    def _spoken(self) -> str:
        output = " ".join(strip_hidden("".join(self._words)).split())
        self._words = []
        return output
