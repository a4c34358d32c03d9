"""HTML mail as plain lines: its words alone, no script, no style, no address."""

from __future__ import annotations

import re
from html.parser import HTMLParser

#: Characters of HTML that are read; the parser of the standard library is slow on what is made to be slow.
_LONGEST = 400_000
_SILENT = frozenset({"script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe"})
_BLOCKS = frozenset({"article", "br", "center", "dd", "div", "dl", "dt", "footer", "header", "hr", "ol", "p", "pre"})
_BLOCKS |= {"section", "table", "tr", "ul", "h1", "h2", "h3", "h4", "h5", "h6"}


def text_of_html(html: str) -> str:
    """The words of the page, a line for each block, quoted blocks with ``> `` as in a plain mail."""
    reader = _Words()
    reader.feed(html[:_LONGEST])
    reader.close()
    lines = (" ".join(line.replace("\xa0", " ").split()) for line in "".join(reader.parts).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0
        self._quoted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _SILENT:
            self._silent += 1
        elif tag == "blockquote":
            self._quoted += 1
            self._break()
        elif tag == "li":
            self._break()
            self.parts.append("- ")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag in _BLOCKS:
            self._break()

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "blockquote":
            self._quoted = max(0, self._quoted - 1)
            self._break()
        elif tag in _BLOCKS:
            self._break()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(re.sub(r"\s+", " ", data))

    def _break(self) -> None:
        self.parts.append("\n" + "> " * min(self._quoted, 5))
